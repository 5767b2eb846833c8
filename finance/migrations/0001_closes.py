from pathlib import Path

import django.db.models.deletion
import django.db.models.expressions
from django.db import migrations, models

CLOSES = Path(__file__).parent.parent / "sql" / "closes.sql"


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('wallet', '0015_finance_scopes'),
    ]

    operations = [
        migrations.CreateModel(
            name='DailyClose',
            fields=[
                ('day', models.DateField(primary_key=True, serialize=False)),
                ('closed_at', models.DateTimeField()),
                ('horizon', models.BigIntegerField(editable=False)),
                ('transfers', models.BigIntegerField()),
                ('entries', models.BigIntegerField()),
                ('games', models.IntegerField()),
                ('control_hash', models.CharField(max_length=64, unique=True)),
                ('previous_hash', models.CharField(blank=True, default='', max_length=64)),
            ],
            options={
                'ordering': ['-day'],
                'constraints': [models.CheckConstraint(condition=models.Q(('entries__gte', django.db.models.expressions.CombinedExpression(models.Value(2), '*', models.F('transfers'))), ('transfers__gte', 0)), name='finance_dailyclose_two_entries_a_transfer')],
            },
        ),
        migrations.CreateModel(
            name='DailyTotal',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('currency', models.CharField(max_length=3)),
                ('account_kind', models.CharField(choices=[('bonus', 'Bonus'), ('deposit', 'Deposit'), ('winnings', 'Winnings'), ('withdrawal_hold', 'Withdrawal hold'), ('locked_bonus', 'Locked bonus'), ('ticket', 'Ticket'), ('escrow', 'Escrow of a game'), ('rake', 'House rake'), ('promotions', 'Promotions'), ('guarantee', 'Guarantees'), ('gateway_clearing', 'Gateway clearing'), ('tds_payable', 'TDS payable'), ('gst_payable', 'GST payable'), ('suspense', 'Suspense')], max_length=20)),
                ('opening_minor', models.BigIntegerField()),
                ('in_minor', models.BigIntegerField()),
                ('out_minor', models.BigIntegerField()),
                ('closing_minor', models.BigIntegerField()),
                ('close', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='totals', to='finance.dailyclose')),
            ],
            options={
                'ordering': ['close', 'currency', 'account_kind'],
                'constraints': [models.UniqueConstraint(fields=('close', 'currency', 'account_kind'), name='finance_dailytotal_once'), models.CheckConstraint(condition=models.Q(('in_minor__gte', 0), ('out_minor__gte', 0), ('closing_minor', django.db.models.expressions.CombinedExpression(django.db.models.expressions.CombinedExpression(models.F('opening_minor'), '+', models.F('in_minor')), '-', models.F('out_minor')))), name='finance_dailytotal_adds_up')],
            },
        ),
        migrations.CreateModel(
            name='Export',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('report', models.CharField(max_length=40)),
                ('format', models.CharField(max_length=10)),
                ('filters', models.TextField(blank=True, default='')),
                ('started_at', models.DateTimeField(auto_now_add=True)),
                ('finished_at', models.DateTimeField(null=True)),
                ('rows', models.BigIntegerField(null=True)),
                ('sha256', models.CharField(blank=True, default='', max_length=64)),
                ('token', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='exports', to='wallet.financetoken')),
            ],
            options={
                'ordering': ['-pk'],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('finished_at', None), ('rows', None), ('sha256', '')), models.Q(('finished_at__isnull', False), ('rows__gte', 0), models.Q(('sha256', ''), _negated=True)), _connector='OR'), name='finance_export_finished_is_hashed')],
            },
        ),
        migrations.RunSQL(CLOSES.read_text()),
    ]
