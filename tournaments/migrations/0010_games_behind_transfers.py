from pathlib import Path

from django.db import migrations

SQL = Path(__file__).parent.parent / "sql"


class Migration(migrations.Migration):
    """Ask of every transfer of a game that a table or a tournament stands behind it."""

    dependencies = [
        ("tournaments", "0009_posted_requests"),
        ("tables", "0014_seat_seen"),
        ("wallet", "0039_whole_chains"),
    ]

    operations = [migrations.RunSQL((SQL / "documents.sql").read_text(), migrations.RunSQL.noop)]
