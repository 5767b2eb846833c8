from pathlib import Path

from django.db import migrations

LIGHTER = Path(__file__).parent.parent / "sql" / "lighter_posting.sql"


class Migration(migrations.Migration):
    """Post with fewer statements; what is promised stays the same."""

    dependencies = [("wallet", "0019_checked_requests")]

    operations = [migrations.RunSQL(LIGHTER.read_text())]
