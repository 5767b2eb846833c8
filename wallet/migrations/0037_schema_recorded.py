from pathlib import Path

from django.db import migrations

SQL = Path(__file__).parent.parent / "sql"


class Migration(migrations.Migration):
    """Keep a record of the schema, for the audit to compare it with."""

    dependencies = [("wallet", "0036_registered_currencies")]

    operations = [migrations.RunSQL((SQL / "schema_record.sql").read_text())]
