from pathlib import Path

from django.db import migrations

SQL = Path(__file__).parent.parent / "sql"


class Migration(migrations.Migration):
    """Tell a row that was found gone from one that was deleted."""

    dependencies = [("wallet", "0029_bank_references")]

    operations = [migrations.RunSQL((SQL / "versions.sql").read_text())]
