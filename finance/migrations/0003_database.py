from pathlib import Path

from django.db import migrations

SQL = Path(__file__).parent.parent / "sql"
PARTS = (
    "closes.sql",
    "gateway_files.sql",
    "export_jobs.sql",
    "closing.sql",
    "watched.sql",
)


class Migration(migrations.Migration):
    """Make the guards and rights of closes, files and exports."""

    dependencies = [("finance", "0002_initial"), ("wallet", "0002_database")]

    operations = [migrations.RunSQL((SQL / part).read_text()) for part in PARTS]
