from django.db import migrations

from core.db.schema import sql_of_migration


class Migration(migrations.Migration):
    """Make the ledger's functions, guards and rights."""

    initial = True

    dependencies = [
        ("wallet", "0001_initial"),
        ("players", "0002_database"),
        ("account", "0009_emailaddress_unique_primary_email"),
        ("mfa", "0003_authenticator_type_uniq"),
    ]

    operations = [migrations.RunSQL(sql_of_migration("wallet", "0002_database"))]
