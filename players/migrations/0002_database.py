from pathlib import Path

from django.db import migrations

SQL = Path(__file__).parent.parent / "sql"
PARTS = ("identity.sql",)


class Migration(migrations.Migration):
    """Keep players' identities."""

    dependencies = [("players", "0001_initial"), ("core", "0002_database")]

    operations = [migrations.RunSQL((SQL / part).read_text()) for part in PARTS]
