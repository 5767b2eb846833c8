from django.db import migrations

from staff.roles import migrate_roles


class Migration(migrations.Migration):
    # Finance cancels exports in the admin.

    dependencies = [
        ("staff", "0005_ticket_refunds"),
        ("finance", "0005_watched"),
    ]

    operations = [migrations.RunPython(migrate_roles, migrations.RunPython.noop)]
