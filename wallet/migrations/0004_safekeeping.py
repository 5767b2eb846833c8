from pathlib import Path

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

SAFEKEEPING = Path(__file__).parent.parent / "sql" / "safekeeping.sql"

class Migration(migrations.Migration):

    dependencies = [
        ('wallet', '0003_cashier'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='AccountFreeze',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('act', models.CharField(choices=[('freeze', 'Freeze: nothing may leave'), ('thaw', 'Thaw: money may leave again')], max_length=6)),
                ('reason', models.CharField(max_length=200)),
                ('at', models.DateTimeField(auto_now_add=True)),
            ],
            options={
                'verbose_name': 'freeze or thaw of an account',
                'verbose_name_plural': 'freezes and thaws of accounts',
                'ordering': ['-id'],
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='wallet_accountfreeze_has_a_reason'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Adjustment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('amount_minor', models.BigIntegerField()),
                ('reason', models.CharField(max_length=200)),
                ('made_at', models.DateTimeField(auto_now_add=True)),
                ('status', models.CharField(choices=[('requested', 'Waiting for a second person'), ('approved', 'Approved and posted'), ('rejected', 'Rejected')], default='requested', max_length=9)),
                ('checked_at', models.DateTimeField(null=True)),
            ],
            options={
                'ordering': ['-id'],
                'permissions': (('check_adjustment', 'Can approve and reject adjustments'),),
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='wallet_adjustment_has_a_reason'),
                ],
            },
        ),
        migrations.AddField(
            model_name='withdrawalfreeze',
            name='cleared_by',
            field=models.CharField(blank=True, default='', max_length=80),
        ),
        migrations.AddConstraint(
            model_name='withdrawalfreeze',
            constraint=models.CheckConstraint(condition=models.Q(('lifted_at__isnull', True), models.Q(models.Q(('cleared_by', ''), _negated=True), models.Q(('lifted_by', models.F('cleared_by')), _negated=True)), _connector='OR'), name='wallet_withdrawalfreeze_lifted_by_two_people'),
        ),
        migrations.AddField(
            model_name='accountfreeze',
            name='account',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='freezes', to='wallet.account'),
        ),
        migrations.AddField(
            model_name='accountfreeze',
            name='by',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='adjustment',
            name='checked_by',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='adjustment',
            name='made_by',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='adjustment',
            name='source',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='wallet.account'),
        ),
        migrations.AddField(
            model_name='adjustment',
            name='target',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='wallet.account'),
        ),
        migrations.AddField(
            model_name='adjustment',
            name='transfer',
            field=models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='adjustment', to='wallet.transfer'),
        ),
        migrations.AddConstraint(
            model_name='adjustment',
            constraint=models.CheckConstraint(condition=models.Q(('amount_minor__gt', 0), models.Q(('source', models.F('target')), _negated=True)), name='wallet_adjustment_moves_something'),
        ),
        migrations.AddConstraint(
            model_name='adjustment',
            constraint=models.CheckConstraint(condition=models.Q(('checked_by__isnull', True), models.Q(('checked_by', models.F('made_by')), _negated=True), _connector='OR'), name='wallet_adjustment_checked_by_another'),
        ),
        migrations.AddConstraint(
            model_name='adjustment',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('checked_at', None), ('checked_by', None), ('status', 'requested')), models.Q(('checked_at__isnull', False), ('checked_by__isnull', False), ('status__in', ['approved', 'rejected'])), _connector='OR'), name='wallet_adjustment_decided_by_somebody'),
        ),
        migrations.AddConstraint(
            model_name='adjustment',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('status', 'approved'), ('transfer__isnull', False)), models.Q(models.Q(('status', 'approved'), _negated=True), ('transfer__isnull', True)), _connector='OR'), name='wallet_adjustment_approved_is_posted'),
        ),
        migrations.RunSQL(SAFEKEEPING.read_text()),
    ]
