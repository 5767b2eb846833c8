from pathlib import Path

import django.db.models.deletion
from django.db import migrations, models

SQL = Path(__file__).parent.parent / "sql"


class Migration(migrations.Migration):
    """Ask once of all entries of a transfer what foreign keys asked of each."""

    dependencies = [("wallet", "0021_quicker_guards")]

    operations = [
        *(
            migrations.RunSQL((SQL / part).read_text())
            for part in ("posting.sql", "posting_guards.sql")
        ),
        migrations.RunSQL(
            "ALTER TABLE wallet_entry DROP CONSTRAINT wallet_entry_account_and_currency"
        ),
        migrations.AlterField(
            "entry",
            "transfer",
            models.ForeignKey(
                db_constraint=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="entries",
                to="wallet.transfer",
            ),
        ),
    ]
