from django.db import migrations

from core.db.schema import sql_of_migration


class Migration(migrations.Migration):
    """Protect the audit log against changes."""

    initial = True

    dependencies = [("core", "0001_initial"), ("players", "0001_initial")]

    operations = [migrations.RunSQL(sql_of_migration("core", "0002_database"))]
