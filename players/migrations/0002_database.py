from pathlib import Path

from django.db import migrations

SQL = Path(__file__).parent.parent / "sql"
PARTS = (
    "deeds.sql",
    "identity.sql",
)


class Migration(migrations.Migration):
    """Keep the log of staff acts and players' identities."""

    dependencies = [("players", "0001_initial")]

    operations = [migrations.RunSQL((SQL / part).read_text()) for part in PARTS]
