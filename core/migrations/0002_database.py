from django.db import migrations

from core.db.schema import frozen_sql


class Migration(migrations.Migration):
    """Keep the log of staff acts as it was written."""

    initial = True

    dependencies = [("core", "0001_initial"), ("players", "0001_initial")]

    operations = [migrations.RunSQL(frozen_sql(__file__))]
