from pathlib import Path

from django.db import migrations

SQL = Path(__file__).parent.parent / "sql"
PARTS = (
    "rights.sql",
    "ended.sql",
    "watched.sql",
    "documents.sql",
)


class Migration(migrations.Migration):
    """Make the guards and rights of tournaments."""

    dependencies = [("tournaments", "0001_initial"), ("tables", "0002_database")]

    operations = [migrations.RunSQL((SQL / part).read_text()) for part in PARTS]
