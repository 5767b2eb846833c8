from pathlib import Path

from django.db import migrations

SQL = Path(__file__).parent.parent / "sql"


class Migration(migrations.Migration):
    """Seal the facts behind transfers, and keep versions of their policies."""

    dependencies = [("wallet", "0025_policies")]

    operations = [
        migrations.RunSQL((SQL / part).read_text()) for part in ("sealing.sql", "sealed_facts.sql")
    ]
