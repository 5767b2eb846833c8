from django.db import migrations

from staff.roles import migrate_roles


class Migration(migrations.Migration):
    # Finance closes refunds and disputes that do not fit, and sets how long new deposits stay.

    dependencies = [("staff", "0006_cancelled_exports"), ("wallet", "0027_payments_taken_back")]

    operations = [migrations.RunPython(migrate_roles, migrations.RunPython.noop)]
