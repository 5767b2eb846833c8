from pathlib import Path

import django.contrib.postgres.fields
from django.db import migrations, models

SQL = Path(__file__).parent.parent / "sql"
DOCUMENTS = [
    ("order", "Order at a gateway"),
    ("payment", "Payment to be placed by staff"),
    ("task", "Payment placed by staff"),
    ("withdrawal", "Withdrawal"),
    ("payout", "Withdrawal paid by the bank"),
    ("withholding", "Tax of a year"),
    ("stake", "Stake"),
    ("game", "All stakes of a game"),
    ("stakes", "Stakes given back"),
    ("stack", "Stack cashed out"),
    ("deal", "Deal at a points table"),
    ("ticket", "Ticket"),
    ("guarantee", "Guarantee of a game"),
    ("sign_up", "Sign-up"),
    ("refill", "Daily refill"),
    ("bot", "Practice bot"),
    ("lot", "Bonus"),
    ("adjustment", "Approved correction"),
]
# They have more parameters now, and would stay beside their successors.
DROP = """
DROP FUNCTION IF EXISTS
    ledger_post(text, text, bigint[], bigint[], text[], bigint[], text, text, timestamptz, uuid),
    ledger_write(text, text, bigint[], bigint[], text[], bigint[], text, text, timestamptz, uuid,
        bigint),
    ledger_fingerprint(text, bigint[], bigint[], bigint[], timestamptz, bigint),
    ledger_refuse_malformed(text, bigint[], bigint[], text[]),
    ledger_lock_and_check(bigint[], bigint[], text[], bigint[]);
"""
RIGHTS = """
REVOKE ALL ON FUNCTION
    ledger_post(text, text, bigint[], bigint[], text[], bigint[], text, text, timestamptz, uuid,
        text, bigint, text, integer),
    ledger_write(text, text, bigint[], bigint[], text[], bigint[], text, text, timestamptz, uuid,
        bigint, text, bigint, text, integer),
    ledger_earlier(text, bytea, text, bigint, uuid)
FROM PUBLIC, rummy_app;
GRANT EXECUTE ON FUNCTION
    ledger_post(text, text, bigint[], bigint[], text[], bigint[], text, text, timestamptz, uuid,
        text, bigint, text, integer)
TO rummy_app;
"""


class Migration(migrations.Migration):
    """Keep the facts behind a transfer in columns, and give each kind of transfer its policy."""

    dependencies = [("wallet", "0024_sealed_versions")]

    operations = [
        migrations.AddField("transfer", "document", models.CharField(blank=True, choices=DOCUMENTS, default="", max_length=16)),
        migrations.AddField("transfer", "document_id", models.BigIntegerField(blank=True, null=True)),
        migrations.AddField("transfer", "game", models.CharField(blank=True, default="", max_length=80)),
        migrations.AddField("transfer", "deal", models.IntegerField(blank=True, null=True)),
        migrations.AddField(
            "transfer",
            "emptied",
            django.contrib.postgres.fields.ArrayField(
                models.BigIntegerField(), blank=True, editable=False, null=True, size=None
            ),
        ),
        migrations.AddConstraint(
            "transfer",
            models.UniqueConstraint(
                condition=models.Q(document_id__isnull=False) & ~models.Q(document="refill"),
                fields=("document", "document_id"),
                name="wallet_transfer_document_once",
            ),
        ),
        migrations.AddConstraint(
            "transfer",
            models.UniqueConstraint(
                condition=models.Q(document="refill"),
                fields=("document_id", "booked_on"),
                name="wallet_transfer_refill_once_a_day",
            ),
        ),
        migrations.RunSQL(DROP),
        *(
            migrations.RunSQL((SQL / part).read_text())
            for part in ("policies.sql", "posting.sql", "documents.sql", "sealing.sql")
        ),
        migrations.RunSQL(RIGHTS),
    ]
