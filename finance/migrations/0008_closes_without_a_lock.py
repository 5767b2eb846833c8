from pathlib import Path

from django.db import migrations

CLOSING = Path(__file__).parent.parent / "sql" / "closing.sql"


class Migration(migrations.Migration):
    """Close days one at a time without an advisory lock; the wallet ends them."""

    dependencies = [("finance", "0007_receivables"), ("wallet", "0028_days_without_a_lock")]

    operations = [
        migrations.RunSQL(CLOSING.read_text()),
        migrations.RunSQL("DROP FUNCTION IF EXISTS finance_turn_page()"),
    ]
