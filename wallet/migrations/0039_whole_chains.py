from pathlib import Path

from django.db import migrations, models

SQL = Path(__file__).parent.parent / "sql"


class Migration(migrations.Migration):
    """Ask for the whole chain of rows behind a transfer, and for the act behind a frozen account."""

    dependencies = [("wallet", "0038_references_in_one_form")]

    operations = [
        migrations.AddIndex(
            "gatewayevent",
            models.Index(
                fields=["provider", "payment_reference"], name="wallet_gatewayevent_payment"
            ),
        ),
        *(
            migrations.RunSQL((SQL / part).read_text(), migrations.RunSQL.noop)
            for part in ("policies.sql", "documents.sql", "freezes.sql")
        ),
    ]
