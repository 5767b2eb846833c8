from pathlib import Path

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

LIMITS = Path(__file__).parent.parent / "sql" / "limits.sql"


class Migration(migrations.Migration):

    dependencies = [
        ('wallet', '0015_finance_scopes'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='DepositLimit',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('currency', models.CharField(max_length=3)),
                ('period', models.CharField(choices=[('day', '24 hours'), ('month', '30 days')], max_length=5)),
                ('amount_minor', models.BigIntegerField(null=True)),
                ('asked_at', models.DateTimeField()),
                ('applies_at', models.DateTimeField()),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='deposit_limits', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-id'],
                'constraints': [models.CheckConstraint(condition=models.Q(('amount_minor__isnull', True), ('amount_minor__gt', 0), _connector='OR'), name='wallet_depositlimit_of_something'), models.CheckConstraint(condition=models.Q(('period__in', ['day', 'month'])), name='wallet_depositlimit_per_day_or_month'), models.CheckConstraint(condition=models.Q(('applies_at__gte', models.F('asked_at'))), name='wallet_depositlimit_never_applied_before_asked')],
            },
        ),        migrations.RunSQL(LIMITS.read_text()),
    ]
