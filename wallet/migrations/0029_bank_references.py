from pathlib import Path

from django.conf import settings
from django.db import migrations, models


SQL = Path(__file__).parent.parent / "sql"


class Migration(migrations.Migration):
    """Give the bank's reference of a payment a unique column of its own."""

    dependencies = [
        ('wallet', '0028_days_without_a_lock'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name='withdrawal',
            name='bank_reference',
            field=models.CharField(blank=True, default='', max_length=200),
        ),
        migrations.RunSQL((SQL / "bank_references.sql").read_text(), migrations.RunSQL.noop),
        migrations.AddConstraint(
            model_name='withdrawal',
            constraint=models.UniqueConstraint(condition=models.Q(('bank_reference', ''), _negated=True), fields=('currency', 'bank_reference'), name='wallet_withdrawal_bank_reference_once'),
        ),
        migrations.AddConstraint(
            model_name='withdrawal',
            constraint=models.CheckConstraint(condition=models.Q(('bank_reference', ''), ('status', 'paid'), _connector='OR'), name='wallet_withdrawal_reference_when_paid'),
        ),
    ]
