from pathlib import Path

from django.db import migrations

import players

SQL = Path(players.__file__).parent / "sql"


class Migration(migrations.Migration):
    """Fix the search path of every function there is, and take temporary tables from all but the owner."""

    dependencies = [
        ("staff", "0003_uploads_by_staff"),
        ("players", "0005_notices_of_places"),
        ("wallet", "0022_entries_asked_at_once"),
        ("tables", "0011_void_named_deals"),
        ("tournaments", "0005_late_entries"),
        ("finance", "0004_uploads_by_staff"),
    ]

    operations = [
        migrations.RunSQL((SQL / name).read_text(), migrations.RunSQL.noop)
        for name in ("functions.sql", "database.sql")
    ]
