from pathlib import Path

from django.db import migrations

GUARDS = Path(__file__).parent.parent / "sql" / "stake_guards.sql"


class Migration(migrations.Migration):
    dependencies = [("wallet", "0012_payees")]

    operations = [migrations.RunSQL(GUARDS.read_text())]
