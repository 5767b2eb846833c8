import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('wallet', '0016_deposit_limits'),
    ]

    operations = [
        migrations.AlterField(
            model_name='financetoken',
            name='scopes',
            field=django.contrib.postgres.fields.ArrayField(base_field=models.CharField(choices=[('journal', 'Journal'), ('trial-balance', 'Trial balance'), ('player-liability', 'Player liability'), ('rake', 'Rake'), ('games', 'Games'), ('tournaments', 'Tournaments'), ('bonus-liability', 'Bonus liability'), ('withdrawals', 'Withdrawals'), ('adjustments', 'Adjustments'), ('gateway-reconciliation', 'Gateway reconciliation'), ('daily-close', 'Daily closes')], max_length=30), size=None),
        ),
    ]
