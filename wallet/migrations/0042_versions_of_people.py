from pathlib import Path

from django.db import migrations

SQL = Path(__file__).parent.parent / "sql"


class Migration(migrations.Migration):
    """Keep versions of people's rights, and of rows that end more than of those that go on."""

    dependencies = [
        ("wallet", "0041_taken_back_withdrawals"),
        ("players", "0009_kept_identity"),
        ("auth", "0012_alter_user_first_name_max_length"),
    ]

    operations = [
        migrations.RunSQL((SQL / part).read_text())
        for part in ("versions.sql", "watched_people.sql")
    ]
