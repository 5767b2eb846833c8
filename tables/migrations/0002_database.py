from django.db import migrations

from core.db.schema import sql_of_migration


class Migration(migrations.Migration):
    """Make the guards and rights of tables."""

    initial = True

    dependencies = [
        ("core", "0002_database"),
        ("tables", "0001_initial"),
        ("wallet", "0002_database"),
    ]

    operations = [migrations.RunSQL(sql_of_migration("tables", "0002_database"))]
