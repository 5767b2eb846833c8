from pathlib import Path

from django.db import migrations

SQL = Path(__file__).parent.parent / "sql"


class Migration(migrations.Migration):
    """Refuse to pay a debt more than it is."""

    dependencies = [("wallet", "0030_versions_compared")]

    operations = [migrations.RunSQL((SQL / "posting.sql").read_text())]
