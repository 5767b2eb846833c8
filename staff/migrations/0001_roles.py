from django.db import migrations

from core.db.schema import sql_of_migration
from staff.access.roles import migrate_roles


class Migration(migrations.Migration):
    """Create the roles of staff, and revoke other access to the database."""

    initial = True

    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
        ("account", "0009_emailaddress_unique_primary_email"),
        ("usersessions", "0001_initial"),
        ("core", "0002_database"),
        ("players", "0002_database"),
        ("wallet", "0002_database"),
        ("tables", "0002_database"),
        ("tournaments", "0002_database"),
        ("finance", "0002_database"),
    ]

    operations = [
        # Changes by a migration have no audit entries, so the audit adopts the rows afterwards.
        migrations.RunSQL(
            "ALTER TABLE auth_group_permissions DISABLE TRIGGER USER", migrations.RunSQL.noop
        ),
        migrations.RunPython(migrate_roles, migrations.RunPython.noop),
        migrations.RunSQL(
            "SET CONSTRAINTS ALL IMMEDIATE;"
            " ALTER TABLE auth_group_permissions ENABLE TRIGGER USER;"
            " SELECT wallet_adopt('auth_group_permissions')",
            migrations.RunSQL.noop,
        ),
        migrations.RunSQL(sql_of_migration("staff", "0001_roles"), migrations.RunSQL.noop),
    ]
