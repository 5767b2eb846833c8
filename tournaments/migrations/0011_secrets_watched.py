from pathlib import Path

from django.db import migrations

SQL = Path(__file__).parent.parent / "sql"


class Migration(migrations.Migration):
    """Keep versions of tournaments' seeds, as their hash."""

    dependencies = [
        ("tournaments", "0010_games_behind_transfers"),
        ("wallet", "0042_versions_of_people"),
    ]

    operations = [migrations.RunSQL((SQL / "watched.sql").read_text())]
