from django.db import migrations

from staff.roles import migrate_roles


class Migration(migrations.Migration):
    # Those who answer for the books see gateways' files and long exports.

    dependencies = [("staff", "0001_roles"), ("finance", "0003_export_jobs")]

    operations = [migrations.RunPython(migrate_roles, migrations.RunPython.noop)]
