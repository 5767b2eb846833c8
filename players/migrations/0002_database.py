from django.db import migrations

from core.db.schema import frozen_sql


class Migration(migrations.Migration):
    """Keep players' identities."""

    initial = True

    dependencies = [
        ("players", "0001_initial"),
        ("core", "0002_database"),
        ("mfa", "0003_authenticator_type_uniq"),
    ]

    operations = [migrations.RunSQL(frozen_sql(__file__))]
