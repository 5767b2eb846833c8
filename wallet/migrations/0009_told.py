from pathlib import Path

from django.db import migrations

TOLD = Path(__file__).parent.parent / "sql" / "told.sql"


class Migration(migrations.Migration):
    dependencies = [("wallet", "0008_taxes")]

    operations = [migrations.RunSQL(TOLD.read_text())]
