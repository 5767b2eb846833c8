from pathlib import Path

from django.db import migrations

SQL = Path(__file__).parent.parent / "sql"


class Migration(migrations.Migration):
    """Keep versions of the rows the ledger's audit compares."""

    dependencies = [("tournaments", "0005_late_entries"), ("wallet", "0023_row_versions")]

    operations = [migrations.RunSQL((SQL / "watched.sql").read_text())]
