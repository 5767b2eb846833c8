from django.db import migrations, models

STATUS = models.CharField(
    choices=[
        ("requested", "Waiting for a second person"),
        ("approved", "Approved"),
        ("rejected", "Rejected"),
    ],
    default="requested",
    max_length=9,
)


class Migration(migrations.Migration):
    """Corrections and bonuses share what they say of a decision; the tables stay as they are."""

    dependencies = [("wallet", "0018_unpaid_orders")]

    operations = [
        migrations.AlterField(model_name="adjustment", name="status", field=STATUS),
        migrations.AlterField(model_name="bonusrequest", name="status", field=STATUS.clone()),
    ]
