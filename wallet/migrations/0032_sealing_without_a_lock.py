from pathlib import Path

from django.db import migrations

SQL = Path(__file__).parent.parent / "sql"


class Migration(migrations.Migration):
    """Seal without a lock that the application could hold, and close a first day that hung."""

    dependencies = [("wallet", "0031_debts_not_overpaid")]

    operations = [
        migrations.RunSQL((SQL / name).read_text())
        for name in ("sealing.sql", "booked_days.sql")
    ]
