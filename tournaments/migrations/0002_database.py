from django.db import migrations

from core.db.schema import sql_of_migration


class Migration(migrations.Migration):
    """Make the guards and rights of tournaments."""

    initial = True

    dependencies = [("tournaments", "0001_initial"), ("tables", "0002_database")]

    operations = [migrations.RunSQL(sql_of_migration("tournaments", "0002_database"))]
