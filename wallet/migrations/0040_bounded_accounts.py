from pathlib import Path

from django.db import migrations

SQL = Path(__file__).parent.parent / "sql"


class Migration(migrations.Migration):
    """Bound what an account is opened with."""

    dependencies = [("wallet", "0039_whole_chains")]

    operations = [
        migrations.RunSQL((SQL / "accounts.sql").read_text(), migrations.RunSQL.noop),
    ]
