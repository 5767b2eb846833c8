from pathlib import Path

from django.db import migrations

SQL = Path(__file__).parent.parent / "sql"


class Migration(migrations.Migration):
    """Let an approved withdrawal be rejected until it is in a file for the bank."""

    dependencies = [("wallet", "0040_bounded_accounts")]

    operations = [
        migrations.RunSQL((SQL / "withdrawal_steps.sql").read_text(), migrations.RunSQL.noop)
    ]
