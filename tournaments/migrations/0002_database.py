from django.db import migrations

from core.db.schema import frozen_sql


class Migration(migrations.Migration):
    """Make the guards and rights of tournaments."""

    initial = True

    dependencies = [("tournaments", "0001_initial"), ("tables", "0002_database")]

    operations = [migrations.RunSQL(frozen_sql(__file__))]
