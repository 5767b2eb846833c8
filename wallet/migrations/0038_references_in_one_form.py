from django.db import migrations, models
from django.db.models.functions import Replace, Upper


class Migration(migrations.Migration):
    """Compare the bank's references in upper case and without spaces."""

    dependencies = [("wallet", "0037_schema_recorded")]

    operations = [
        migrations.RemoveConstraint("withdrawal", "wallet_withdrawal_bank_reference_once"),
        migrations.AddConstraint(
            "withdrawal",
            models.UniqueConstraint(
                "currency",
                Upper(Replace("bank_reference", models.Value(" "), models.Value(""))),
                condition=~models.Q(bank_reference=""),
                name="wallet_withdrawal_bank_reference_once",
            ),
        ),
    ]
