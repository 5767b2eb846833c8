from pathlib import Path

from django.db import migrations

SQL = Path(__file__).parent.parent / "sql"
TAKE_AWAY = """
ALTER TABLE wallet_account DROP CONSTRAINT wallet_account_currency_registered;
DROP TABLE wallet_currency;
"""


class Migration(migrations.Migration):
    """Keep a register of currencies, and open accounts in no other."""

    dependencies = [("wallet", "0035_withholding_years")]

    operations = [
        migrations.RunSQL((SQL / "currencies.sql").read_text(), TAKE_AWAY),
        migrations.RunSQL((SQL / "accounts.sql").read_text()),
    ]
