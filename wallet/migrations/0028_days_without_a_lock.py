from pathlib import Path

from django.db import migrations, models

SQL = Path(__file__).parent.parent / "sql"
# The day that was open is no ended one: its row comes when it ends. Those before it are closed.
ENDED = """
SELECT setval('ledger_ended_day', coalesce(
    (SELECT min(day) FROM wallet_bookedday WHERE closed_at IS NULL),
    (clock_timestamp() AT TIME ZONE 'Asia/Kolkata')::date) - 1 - date '2000-01-01');
ALTER TABLE wallet_bookedday DISABLE TRIGGER closes_once, DISABLE TRIGGER kept;
DELETE FROM wallet_bookedday WHERE closed_at IS NULL;
UPDATE wallet_bookedday SET opened_at = closed_at;
ALTER TABLE wallet_bookedday ENABLE TRIGGER closes_once, ENABLE TRIGGER kept;
"""
OBSOLETE = "DROP FUNCTION IF EXISTS ledger_book_day(), ledger_holds_the_day()"


class Migration(migrations.Migration):
    """End days without a lock, and let one function tell the house's time."""

    dependencies = [("wallet", "0027_payments_taken_back")]

    operations = [
        *(
            migrations.RunSQL((SQL / part).read_text())
            for part in ("house.sql", "booked_days.sql", "rates_begin.sql")
        ),
        migrations.RunSQL(ENDED),
        migrations.RemoveConstraint("bookedday", "wallet_bookedday_one_open"),
        migrations.RenameField("bookedday", "opened_at", "ended_at"),
        migrations.AlterField("bookedday", "ended_at", models.DateTimeField()),
        migrations.AddField(
            "bookedday", "boundary", models.BigIntegerField(default=0), preserve_default=False
        ),
        *(
            migrations.RunSQL((SQL / part).read_text()) for part in ("accounts.sql", "posting.sql")
        ),
        migrations.RunSQL(OBSOLETE),
        # Its columns are others now.
        migrations.RunSQL("SELECT wallet_watch('wallet_bookedday', p_key => 'day')"),
    ]
