from pathlib import Path

from django.db import migrations

SQL = Path(__file__).parent.parent / "sql"


class Migration(migrations.Migration):
    """Keep versions of what a finished game rests on: how it ended, seeds, and a hash of its moves."""

    dependencies = [("tables", "0014_seat_seen"), ("wallet", "0042_versions_of_people")]

    operations = [
        migrations.RunSQL((SQL / part).read_text()) for part in ("watched.sql", "moves_kept.sql")
    ]
