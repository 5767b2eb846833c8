from pathlib import Path

from django.db import migrations, models

UNPAID = Path(__file__).parent.parent / "sql" / "unpaid_orders.sql"


class Migration(migrations.Migration):
    dependencies = [("wallet", "0017_reconciliation_scope")]

    operations = [
        migrations.AlterField(
            model_name="deposit",
            name="status",
            field=models.CharField(
                choices=[
                    ("created", "Waiting for the payment"),
                    ("paid", "Paid"),
                    ("failed", "Not paid"),
                    ("checking", "Being checked by our staff"),
                    ("placed", "Credited after a check"),
                    ("returned", "Sent back to you"),
                    ("cancelled", "Cancelled by you"),
                    ("closed", "Closed without a payment"),
                ],
                default="created",
                max_length=9,
            ),
        ),
        migrations.AlterField(
            model_name="gatewayevent",
            name="kind",
            field=models.CharField(
                choices=[("paid", "Paid"), ("failed", "Failed"), ("closed", "Closed unpaid")],
                max_length=8,
            ),
        ),
        migrations.AlterField(
            model_name="gatewayevent",
            name="outcome",
            field=models.CharField(
                choices=[
                    ("credited", "Credited"),
                    ("failed", "Noted as failed"),
                    ("closed", "Order closed"),
                    ("ignored", "Changed nothing"),
                    ("suspense", "Money in suspense"),
                ],
                max_length=8,
            ),
        ),
        migrations.AddIndex(
            model_name="deposit",
            index=models.Index(
                condition=models.Q(("status__in", ["created", "failed"])),
                fields=["created_at"],
                name="wallet_deposit_unpaid",
            ),
        ),
        migrations.RunSQL(UNPAID.read_text(), migrations.RunSQL.noop),
    ]
