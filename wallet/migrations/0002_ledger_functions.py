from pathlib import Path

from django.db import migrations

SQL = Path(__file__).parent.parent / "sql"
PARTS = (
    "house.sql",
    "accounts.sql",
    "booked_days.sql",
    "posting.sql",
    "guards.sql",
    "documents.sql",
    "posting_guards.sql",
    "grants.sql",
)


class Migration(migrations.Migration):
    # The roles come with the first migration of `players`.
    dependencies = [("wallet", "0001_initial"), ("players", "0001_initial")]

    operations = [migrations.RunSQL((SQL / part).read_text()) for part in PARTS]
