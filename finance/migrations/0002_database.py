from django.db import migrations

from core.db.schema import sql_of_migration


class Migration(migrations.Migration):
    """Create the triggers and grants of closes, files and exports."""

    initial = True

    dependencies = [("finance", "0001_initial"), ("wallet", "0002_database")]

    operations = [migrations.RunSQL(sql_of_migration("finance", "0002_database"))]
