from django.db import migrations

from staff.roles import migrate_roles


class Migration(migrations.Migration):
    # Those who answer for the books upload gateways' files in the admin too.

    dependencies = [("staff", "0002_exports_and_files"), ("finance", "0004_uploads_by_staff")]

    operations = [migrations.RunPython(migrate_roles, migrations.RunPython.noop)]
