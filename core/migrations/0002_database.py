from pathlib import Path

from django.db import migrations

SQL = Path(__file__).parent.parent / "sql"


class Migration(migrations.Migration):
    """Keep the log of staff acts as it was written."""

    dependencies = [("core", "0001_initial"), ("players", "0001_initial")]

    operations = [migrations.RunSQL((SQL / "audit_entries.sql").read_text())]
