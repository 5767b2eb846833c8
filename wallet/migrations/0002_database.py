from django.db import migrations

from core.db.schema import frozen_sql


class Migration(migrations.Migration):
    """Make the ledger's functions, guards and rights."""

    initial = True

    dependencies = [("wallet", "0001_initial"), ("players", "0002_database")]

    operations = [migrations.RunSQL(frozen_sql(__file__))]
