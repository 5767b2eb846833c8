from django.db import migrations

from core.db.schema import frozen_sql
from staff.access.roles import migrate_roles


class Migration(migrations.Migration):
    """Make the roles of staff, and close the database to everybody else."""

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
        migrations.RunPython(migrate_roles, migrations.RunPython.noop),
        migrations.RunSQL(frozen_sql(__file__), migrations.RunSQL.noop),
    ]
