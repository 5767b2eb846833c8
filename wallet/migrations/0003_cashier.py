from pathlib import Path

import django.db.models.deletion
import players.identifiers
from django.conf import settings
from django.db import migrations, models

SQL = Path(__file__).parent.parent / "sql"


class Migration(migrations.Migration):

    dependencies = [
        ('wallet', '0002_ledger_functions'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Deposit',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.UUIDField(default=players.identifiers.new_public_id, editable=False, unique=True)),
                ('provider', models.CharField(max_length=20)),
                ('order_reference', models.CharField(max_length=80)),
                ('pay_url', models.CharField(max_length=500)),
                ('currency', models.CharField(max_length=3)),
                ('amount_minor', models.BigIntegerField()),
                ('status', models.CharField(choices=[('created', 'Waiting for the payment'), ('paid', 'Paid'), ('failed', 'Not paid'), ('checking', 'Being checked by our staff')], default='created', max_length=8)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='deposits', to=settings.AUTH_USER_MODEL)),
                ('transfer', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='deposit', to='wallet.transfer')),
            ],
            options={
                'ordering': ['-id'],
                'constraints': [
                    models.UniqueConstraint(fields=('provider', 'order_reference'), name='wallet_deposit_order_once'),
                    models.CheckConstraint(condition=models.Q(('amount_minor__gt', 0)), name='wallet_deposit_of_something'),
                    models.CheckConstraint(condition=models.Q(models.Q(('status', 'paid'), ('transfer__isnull', False)), models.Q(models.Q(('status', 'paid'), _negated=True), ('transfer__isnull', True)), _connector='OR'), name='wallet_deposit_paid_is_credited'),
                    models.CheckConstraint(condition=models.Q(('currency', 'PTS'), _negated=True), name='wallet_deposit_never_of_play_points'),
                ],
            },
        ),
        migrations.CreateModel(
            name='GatewayEvent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('provider', models.CharField(max_length=20)),
                ('event_reference', models.CharField(max_length=80)),
                ('kind', models.CharField(choices=[('paid', 'Paid'), ('failed', 'Failed')], max_length=8)),
                ('order_reference', models.CharField(max_length=80)),
                ('payment_reference', models.CharField(max_length=80)),
                ('currency', models.CharField(max_length=3)),
                ('amount_minor', models.BigIntegerField()),
                ('outcome', models.CharField(choices=[('credited', 'Credited'), ('failed', 'Noted as failed'), ('ignored', 'Changed nothing'), ('suspense', 'Money in suspense')], max_length=8)),
                ('body', models.TextField()),
                ('received_at', models.DateTimeField(auto_now_add=True)),
            ],
            options={
                'ordering': ['-id'],
                'constraints': [models.UniqueConstraint(fields=('provider', 'event_reference'), name='wallet_gatewayevent_once')],
            },
        ),
        migrations.CreateModel(
            name='IdempotentRequest',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('route', models.CharField(max_length=40)),
                ('key', models.CharField(max_length=200)),
                ('body_sha256', models.CharField(max_length=64)),
                ('status', models.SmallIntegerField(null=True)),
                ('answer', models.TextField(blank=True, default='')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='idempotent_requests', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('player', 'route', 'key'), name='wallet_idempotentrequest_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='PayoutBatch',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.UUIDField(default=players.identifiers.new_public_id, editable=False, unique=True)),
                ('made_at', models.DateTimeField(auto_now_add=True)),
                ('made_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name_plural': 'payout batches',
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='StaffTask',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('other_amount', 'Another amount was paid than ordered'), ('paid_twice', 'An order was paid a second time'), ('unknown_order', 'A payment for an order we do not know')], max_length=16)),
                ('details', models.CharField(max_length=300)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('done_at', models.DateTimeField(blank=True, null=True)),
                ('deposit', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='staff_tasks', to='wallet.deposit')),
                ('done_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('transfer', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='staff_task', to='wallet.transfer')),
            ],
            options={
                'ordering': ['-id'],
                'constraints': [
                    models.CheckConstraint(condition=models.Q(models.Q(('done_at__isnull', True), ('done_by__isnull', True)), models.Q(('done_at__isnull', False), ('done_by__isnull', False)), _connector='OR'), name='wallet_stafftask_done_by_somebody'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Withdrawal',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.UUIDField(default=players.identifiers.new_public_id, editable=False, unique=True)),
                ('currency', models.CharField(max_length=3)),
                ('deposit_minor', models.BigIntegerField()),
                ('winnings_minor', models.BigIntegerField()),
                ('payee_name', models.CharField(max_length=80)),
                ('bank_account', models.CharField(max_length=18)),
                ('ifsc', models.CharField(max_length=11)),
                ('status', models.CharField(choices=[('requested', 'Waiting for approval'), ('approved', 'Approved, on its way to your bank'), ('paid', 'Paid'), ('rejected', 'Rejected, the money is back in your wallet'), ('failed', 'The bank refused, the money is back in your wallet')], default='requested', max_length=9)),
                ('due_at', models.DateTimeField(null=True)),
                ('requested_at', models.DateTimeField(auto_now_add=True)),
                ('decided_at', models.DateTimeField(null=True)),
                ('closed_at', models.DateTimeField(null=True)),
                ('remark', models.CharField(blank=True, default='', max_length=200)),
                ('batch', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='withdrawals', to='wallet.payoutbatch')),
                ('decided_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('hold', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='withdrawal', to='wallet.transfer')),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='withdrawals', to=settings.AUTH_USER_MODEL)),
                ('requested_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-id'],
                'permissions': [('decide_withdrawal', 'Can approve and reject withdrawals'), ('pay_withdrawal', 'Can send withdrawals to the bank and note what became of them')],
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('deposit_minor__gte', 0), ('winnings_minor__gte', 0), models.Q(('deposit_minor__gt', 0), ('winnings_minor__gt', 0), _connector='OR')), name='wallet_withdrawal_of_something'),
                    models.CheckConstraint(condition=models.Q(('currency', 'PTS'), _negated=True), name='wallet_withdrawal_never_of_play_points'),
                    models.CheckConstraint(condition=models.Q(('decided_by__isnull', True), models.Q(models.Q(('decided_by', models.F('requested_by')), _negated=True), models.Q(('decided_by', models.F('player')), _negated=True)), _connector='OR'), name='wallet_withdrawal_checked_by_another'),
                    models.CheckConstraint(condition=models.Q(models.Q(('decided_at', None), ('decided_by', None), ('status', 'requested')), models.Q(models.Q(('status', 'requested'), _negated=True), ('decided_at__isnull', False), ('decided_by__isnull', False)), _connector='OR'), name='wallet_withdrawal_decided_by_somebody'),
                    models.CheckConstraint(condition=models.Q(models.Q(('closed_at__isnull', True), ('due_at__isnull', False), ('status__in', ['requested', 'approved'])), models.Q(('closed_at__isnull', False), ('due_at__isnull', True), ('status__in', ['paid', 'rejected', 'failed'])), _connector='OR'), name='wallet_withdrawal_pending_has_a_due_time'),
                    models.CheckConstraint(condition=models.Q(models.Q(('batch', None), ('status__in', ['requested', 'rejected'])), ('status', 'approved'), models.Q(('batch__isnull', False), ('status__in', ['paid', 'failed'])), _connector='OR'), name='wallet_withdrawal_paid_by_a_file'),
                ],
            },
        ),
        migrations.RunSQL((SQL / "withdrawal_steps.sql").read_text(), migrations.RunSQL.noop),
        migrations.RunSQL((SQL / "cashier.sql").read_text()),
    ]
