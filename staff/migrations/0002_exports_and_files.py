from importlib import import_module

from django.db import migrations


def make(apps, schema_editor):
    """Let those who answer for the books see gateways' files and long exports."""
    import_module("staff.migrations.0001_roles").make(apps, schema_editor)


class Migration(migrations.Migration):

    dependencies = [("staff", "0001_roles"), ("finance", "0003_export_jobs")]

    operations = [migrations.RunPython(make, migrations.RunPython.noop)]
