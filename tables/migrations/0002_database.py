from pathlib import Path

from django.db import migrations

SQL = Path(__file__).parent.parent / "sql"
PARTS = (
    "append_only.sql",
    "deal_guards.sql",
    "fairness.sql",
    "rights.sql",
    "watched.sql",
    "moves_kept.sql",
)


class Migration(migrations.Migration):
    """Make the guards and rights of tables."""

    dependencies = [("tables", "0001_initial"), ("wallet", "0002_database")]

    operations = [migrations.RunSQL((SQL / part).read_text()) for part in PARTS]
