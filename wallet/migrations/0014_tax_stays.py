from pathlib import Path

from django.db import migrations

TAX_STAYS = Path(__file__).parent.parent / "sql" / "tax_stays.sql"


class Migration(migrations.Migration):
    dependencies = [("wallet", "0013_stake_guards")]

    operations = [
        migrations.RunSQL(
            TAX_STAYS.read_text(), "DROP TRIGGER tax_stays ON wallet_deposit"
        )
    ]
