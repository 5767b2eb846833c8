from pathlib import Path

from django.db import migrations

SQL = Path(__file__).parent.parent / "sql"
PARTS = (
    "currencies.sql",
    "accounts.sql",
    "posting.sql",
    "guards.sql",
    "documents.sql",
    "posting_guards.sql",
    "grants.sql",
    "house.sql",
    "booked_days.sql",
    "withdrawal_steps.sql",
    "cashier.sql",
    "safekeeping.sql",
    "seals.sql",
    "bonuses.sql",
    "stacks.sql",
    "tax_rates.sql",
    "rates_begin.sql",
    "taxes.sql",
    "told.sql",
    "tickets.sql",
    "forgetting.sql",
    "payees.sql",
    "stake_guards.sql",
    "tax_stays.sql",
    "limits.sql",
    "unpaid_orders.sql",
    "versions.sql",
    "versions_guarded.sql",
    "watched.sql",
    "sealing.sql",
    "sent_heads.sql",
    "policies.sql",
    "sealed_facts.sql",
    "payments.sql",
    "deposit_terms.sql",
    "bank_references.sql",
    "schema_record.sql",
    "freezes.sql",
    "watched_people.sql",
    "stuck_sessions.sql",
)
YESTERDAY_HAS_ENDED = """
SELECT setval('ledger_ended_day',
    (clock_timestamp() AT TIME ZONE 'Asia/Kolkata')::date - 1 - date '2000-01-01')
"""


class Migration(migrations.Migration):
    """Make the ledger's functions, guards and rights."""

    dependencies = [("wallet", "0001_initial"), ("players", "0002_database")]

    operations = [
        *(migrations.RunSQL((SQL / part).read_text()) for part in PARTS),
        migrations.RunSQL(YESTERDAY_HAS_ENDED),
    ]
