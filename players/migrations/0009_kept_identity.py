from pathlib import Path

from django.db import migrations

IDENTITY = Path(__file__).parent.parent / "sql" / "identity.sql"


class Migration(migrations.Migration):
    """Let nobody change a player's public id, or turn a person into a bot."""

    dependencies = [("players", "0008_notices_of_payments")]

    operations = [
        migrations.RunSQL(IDENTITY.read_text(), "DROP TRIGGER keeps_identity ON players_user")
    ]
