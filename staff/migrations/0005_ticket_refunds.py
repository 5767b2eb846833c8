from django.db import migrations

from staff.roles import migrate_roles


class Migration(migrations.Migration):
    # Finance asks for refunds of tickets and decides those that somebody else has asked for.

    dependencies = [
        ("staff", "0004_fixed_search_paths"),
        ("tournaments", "0007_ticket_refunds"),
    ]

    operations = [migrations.RunPython(migrate_roles, migrations.RunPython.noop)]
