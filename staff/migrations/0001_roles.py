from django.contrib.auth.management import create_permissions
from django.db import migrations

from staff.roles import make_roles

# Whose permissions the roles are made of.
OURS = ("players", "wallet", "tables", "tournaments", "finance", "account", "usersessions")


def make(apps, schema_editor):
    """Make the roles, after the permissions: Django makes those only when all migrations are done."""
    for label in OURS:
        config = apps.get_app_config(label)
        # A migration's applications have no module of models, and without one nothing is made.
        config.models_module = True
        create_permissions(config, apps=apps, verbosity=0)
        config.models_module = None
    make_roles(apps)


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
        ("account", "0009_emailaddress_unique_primary_email"),
        ("usersessions", "0001_initial"),
        ("players", "0002_deeds"),
        ("wallet", "0016_deposit_limits"),
        ("tables", "0010_bot_strength"),
        ("tournaments", "0003_removed_entries"),
        ("finance", "0001_closes"),
    ]

    operations = [migrations.RunPython(make, migrations.RunPython.noop)]
