from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("players", "0003_notices")]

    operations = [
        migrations.AlterField(
            model_name="notice",
            name="kind",
            field=models.CharField(
                choices=[
                    ("withdrawal_approved", "Withdrawal Approved"),
                    ("withdrawal_rejected", "Withdrawal Rejected"),
                    ("withdrawal_paid", "Withdrawal Paid"),
                    ("withdrawal_failed", "Withdrawal Failed"),
                    ("tournament_place", "Tournament Place"),
                    ("tournament_starts", "Tournament Starts"),
                    ("tournament_called_off", "Tournament Called Off"),
                    ("tournament_prize", "Tournament Prize"),
                    ("game_cancelled", "Game Cancelled"),
                    ("deal_void", "Deal Void"),
                ],
                max_length=24,
            ),
        ),
    ]
