from pathlib import Path

from django.db import migrations

SQL = Path(__file__).parent.parent / "sql"
RENEWED = ("booked_days.sql", "posting.sql", "posting_guards.sql")


class Migration(migrations.Migration):
    """Post with fewer statements; what is promised stays the same."""

    dependencies = [("wallet", "0019_checked_requests")]

    operations = [migrations.RunSQL((SQL / part).read_text()) for part in RENEWED]
