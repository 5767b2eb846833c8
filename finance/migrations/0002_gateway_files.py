from pathlib import Path

import django.db.models.deletion
from django.db import migrations, models

FILES = Path(__file__).parent.parent / "sql" / "gateway_files.sql"


class Migration(migrations.Migration):

    dependencies = [
        ('finance', '0001_closes'),
        ('wallet', '0017_reconciliation_scope'),
    ]

    operations = [
        migrations.CreateModel(
            name='GatewayFile',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('provider', models.CharField(choices=[('razorpay', 'Razorpay'), ('sandbox', 'Sandbox')], max_length=20)),
                ('shape', models.CharField(max_length=20)),
                ('name', models.CharField(max_length=200)),
                ('sha256', models.CharField(max_length=64, unique=True)),
                ('line_count', models.IntegerField()),
                ('passed_over', models.IntegerField()),
                ('first_day', models.DateField(null=True)),
                ('last_day', models.DateField(null=True)),
                ('uploaded_at', models.DateTimeField(auto_now_add=True)),
                ('uploaded_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='gateway_files', to='wallet.financetoken')),
            ],
            options={
                'ordering': ['-pk'],
                'constraints': [
                    models.CheckConstraint(condition=models.Q(models.Q(('first_day', None), ('last_day', None), ('line_count', 0)), models.Q(('first_day__lte', models.F('last_day')), ('line_count__gt', 0)), _connector='OR'), name='finance_gatewayfile_lines_have_days'),
                ],
            },
        ),
        migrations.CreateModel(
            name='GatewayLine',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.IntegerField()),
                ('what', models.CharField(choices=[('payment', 'Payment'), ('refund', 'Refund'), ('other', 'Other')], max_length=8)),
                ('reference', models.CharField(max_length=80)),
                ('payment_reference', models.CharField(blank=True, default='', max_length=80)),
                ('currency', models.CharField(max_length=3)),
                ('amount_minor', models.BigIntegerField()),
                ('at', models.DateTimeField()),
                ('day', models.DateField()),
                ('file', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='lines', to='finance.gatewayfile')),
            ],
            options={
                'ordering': ['file', 'number'],
                'constraints': [
                    models.UniqueConstraint(fields=('file', 'what', 'reference'), name='finance_gatewayline_told_once'),
                    models.CheckConstraint(condition=models.Q(('amount_minor', 0), _negated=True), name='finance_gatewayline_of_something'),
                ],
                'indexes': [
                    models.Index(fields=['reference'], name='finance_gatewayline_ref'),
                    models.Index(fields=['payment_reference'], name='finance_gatewayline_payment'),
                ],
            },
        ),
        migrations.RunSQL(FILES.read_text(), migrations.RunSQL.noop),
    ]
