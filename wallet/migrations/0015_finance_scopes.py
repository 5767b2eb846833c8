import django.contrib.postgres.fields
from django.db import migrations, models

SCOPES = [
    ("journal", "Journal"),
    ("trial-balance", "Trial balance"),
    ("player-liability", "Player liability"),
    ("rake", "Rake"),
    ("games", "Games"),
    ("tournaments", "Tournaments"),
    ("bonus-liability", "Bonus liability"),
    ("withdrawals", "Withdrawals"),
    ("adjustments", "Adjustments"),
    ("daily-close", "Daily closes"),
]


class Migration(migrations.Migration):
    dependencies = [("wallet", "0014_tax_stays")]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL(
                    """
                    ALTER TABLE wallet_financetoken RENAME COLUMN scope TO scopes;
                    ALTER TABLE wallet_financetoken
                        ALTER COLUMN scopes TYPE varchar(20)[] USING ARRAY[scopes];
                    """,
                    """
                    ALTER TABLE wallet_financetoken
                        ALTER COLUMN scopes TYPE varchar(20) USING scopes[1];
                    ALTER TABLE wallet_financetoken RENAME COLUMN scopes TO scope;
                    """,
                )
            ],
            state_operations=[
                migrations.RemoveField("financetoken", "scope"),
                migrations.AddField(
                    "financetoken",
                    "scopes",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(choices=SCOPES, max_length=20), size=None
                    ),
                    preserve_default=False,
                ),
            ],
        ),
        migrations.AddConstraint(
            model_name="financetoken",
            constraint=models.CheckConstraint(
                condition=~models.Q(scopes=[]), name="wallet_financetoken_opens_something"
            ),
        ),
    ]
