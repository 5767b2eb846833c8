from django.db import migrations

from core.db.schema import sql_of_migration


class Migration(migrations.Migration):
    """Keep players' identities."""

    initial = True

    dependencies = [
        ("players", "0001_initial"),
        ("core", "0002_database"),
        ("mfa", "0003_authenticator_type_uniq"),
    ]

    operations = [migrations.RunSQL(sql_of_migration("players", "0002_database"))]
