from django.db import migrations

from staff.roles import migrate_roles


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

    operations = [migrations.RunPython(migrate_roles, migrations.RunPython.noop)]
