from pathlib import Path

import django.contrib.postgres.fields
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


SQL = Path(__file__).parent.parent / "sql"


class Migration(migrations.Migration):
    """Hear of refunds and disputes, and keep what players owe for them."""

    dependencies = [
        ('wallet', '0026_audited_documents'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RunSQL((SQL / "kinds.sql").read_text()),
        migrations.CreateModel(
            name='DepositTerm',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('hours', models.PositiveSmallIntegerField()),
                ('reason', models.CharField(max_length=200)),
                ('begins_at', models.DateTimeField()),
                ('set_at', models.DateTimeField(auto_now_add=True)),
            ],
            options={
                'verbose_name': 'term of new deposits',
                'verbose_name_plural': 'terms of new deposits',
                'ordering': ['-begins_at', '-id'],
            },
        ),
        migrations.CreateModel(
            name='GatewayPayment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('provider', models.CharField(max_length=20)),
                ('reference', models.CharField(max_length=80)),
                ('order_reference', models.CharField(blank=True, default='', max_length=80)),
                ('currency', models.CharField(blank=True, default='', max_length=3)),
                ('amount_minor', models.BigIntegerField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name='PaymentReturn',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('provider', models.CharField(max_length=20)),
                ('reference', models.CharField(max_length=80)),
                ('what', models.CharField(choices=[('refund', 'Refund'), ('dispute', 'Dispute')], max_length=7)),
                ('currency', models.CharField(max_length=3)),
                ('amount_minor', models.BigIntegerField()),
                ('status', models.CharField(choices=[('open', 'Open'), ('checking', 'Being checked by our staff'), ('taken', 'Taken back'), ('dropped', 'Nothing taken back')], default='open', max_length=8)),
                ('told', models.CharField(choices=[('open', 'Open'), ('checking', 'Being checked by our staff'), ('taken', 'Taken back'), ('dropped', 'Nothing taken back')], default='open', max_length=8)),
                ('opened_at', models.DateTimeField(auto_now_add=True)),
                ('closed_at', models.DateTimeField(null=True)),
                ('remark', models.CharField(blank=True, default='', max_length=200)),
            ],
            options={
                'verbose_name': 'refund or dispute',
                'verbose_name_plural': 'refunds and disputes',
                'ordering': ['-id'],
            },
        ),
        migrations.AddField(
            model_name='gatewayevent',
            name='case_reference',
            field=models.CharField(blank=True, default='', max_length=80),
        ),
        migrations.AddField(
            model_name='stafftask',
            name='event',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='staff_tasks', to='wallet.gatewayevent'),
        ),
        migrations.AlterField(
            model_name='account',
            name='kind',
            field=models.CharField(choices=[('bonus', 'Bonus'), ('deposit', 'Deposit'), ('winnings', 'Winnings'), ('withdrawal_hold', 'Withdrawal hold'), ('locked_bonus', 'Locked bonus'), ('ticket', 'Ticket'), ('receivable', 'Owed for payments taken back'), ('escrow', 'Escrow of a game'), ('rake', 'House rake'), ('promotions', 'Promotions'), ('guarantee', 'Guarantees'), ('gateway_clearing', 'Gateway clearing'), ('tds_payable', 'TDS payable'), ('gst_payable', 'GST payable'), ('suspense', 'Suspense')], max_length=20),
        ),
        migrations.AlterField(
            model_name='financetoken',
            name='scopes',
            field=django.contrib.postgres.fields.ArrayField(base_field=models.CharField(choices=[('journal', 'Journal'), ('trial-balance', 'Trial balance'), ('player-liability', 'Player liability'), ('rake', 'Rake'), ('games', 'Games'), ('tournaments', 'Tournaments'), ('bonus-liability', 'Bonus liability'), ('withdrawals', 'Withdrawals'), ('adjustments', 'Adjustments'), ('gateway-reconciliation', 'Gateway reconciliation'), ('receivables', 'Receivables'), ('daily-close', 'Daily closes')], max_length=30), size=None),
        ),
        migrations.AlterField(
            model_name='gatewayevent',
            name='kind',
            field=models.CharField(choices=[('paid', 'Paid'), ('failed', 'Failed'), ('closed', 'Closed unpaid'), ('refund_begun', 'Refund begun'), ('refund_done', 'Refund paid out'), ('refund_failed', 'Refund failed'), ('dispute_open', 'Dispute open'), ('dispute_won', 'Dispute won'), ('dispute_lost', 'Dispute lost')], max_length=16),
        ),
        migrations.AlterField(
            model_name='gatewayevent',
            name='order_reference',
            field=models.CharField(blank=True, max_length=80),
        ),
        migrations.AlterField(
            model_name='gatewayevent',
            name='outcome',
            field=models.CharField(choices=[('credited', 'Credited'), ('failed', 'Noted as failed'), ('closed', 'Order closed'), ('ignored', 'Changed nothing'), ('suspense', 'Money in suspense'), ('opened', 'Withdrawals stopped'), ('taken', 'Taken back'), ('dropped', 'Nothing taken back'), ('checking', 'Left to staff')], max_length=8),
        ),
        migrations.AlterField(
            model_name='stafftask',
            name='kind',
            field=models.CharField(choices=[('other_amount', 'Another amount was paid than ordered'), ('paid_twice', 'An order was paid a second time'), ('unknown_order', 'A payment for an order we do not know'), ('late_decision', 'A withdrawal was not decided in time'), ('late_payment', 'A withdrawal was not paid in time'), ('seal_refused', 'A transfer is not as it was posted and cannot be sealed'), ('seals_missing', 'Seals were made and are not there'), ('seal_late', 'A transfer waits too long for its seal'), ('dispute', 'A payment is disputed: answer the gateway'), ('other_story', 'The gateway says something else of a payment than before'), ('other_return', 'A refund or a dispute does not fit its payment')], max_length=16),
        ),
        migrations.AlterField(
            model_name='stafftask',
            name='transfer',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='staff_tasks', to='wallet.transfer'),
        ),
        migrations.AlterField(
            model_name='transfer',
            name='kind',
            field=models.CharField(choices=[('grant', 'Grant'), ('buy_in', 'Buy-in'), ('prize', 'Prize'), ('refund', 'Refund'), ('tax', 'Tax'), ('deposit', 'Deposit'), ('withdrawal', 'Withdrawal'), ('adjustment', 'Adjustment'), ('bonus', 'Bonus'), ('release', 'Release of a bonus'), ('expiry', 'Expiry of a bonus'), ('rake', 'Rake of a deal'), ('cash_out', 'Cash-out'), ('chargeback', 'Refund or chargeback'), ('reversal', 'Reversal')], max_length=16),
        ),
        migrations.AddConstraint(
            model_name='account',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('kind', 'receivable'), _negated=True), ('balance_minor__lte', 0), _connector='OR'), name='wallet_account_receivable_is_a_debt'),
        ),
        migrations.AddConstraint(
            model_name='stafftask',
            constraint=models.UniqueConstraint(fields=('event', 'kind'), name='wallet_stafftask_once_an_event'),
        ),
        migrations.AddConstraint(
            model_name='stafftask',
            constraint=models.CheckConstraint(condition=models.Q(('transfer__isnull', False), ('event__isnull', False), _connector='OR'), name='wallet_stafftask_about_something'),
        ),
        migrations.AddField(
            model_name='depositterm',
            name='set_by',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='gatewaypayment',
            name='deposit',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='payments', to='wallet.deposit'),
        ),
        migrations.AddField(
            model_name='gatewaypayment',
            name='transfer',
            field=models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='gateway_payment', to='wallet.transfer'),
        ),
        migrations.AddField(
            model_name='paymentreturn',
            name='closed_by',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='paymentreturn',
            name='payment',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='returns', to='wallet.gatewaypayment'),
        ),
        migrations.AddField(
            model_name='paymentreturn',
            name='player',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='returns', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='paymentreturn',
            name='transfer',
            field=models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='payment_return', to='wallet.transfer'),
        ),
        migrations.AddConstraint(
            model_name='depositterm',
            constraint=models.CheckConstraint(condition=models.Q(('hours__lte', 2160)), name='wallet_depositterm_within_90_days'),
        ),
        migrations.AddConstraint(
            model_name='depositterm',
            constraint=models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='wallet_depositterm_has_a_reason'),
        ),
        migrations.AddConstraint(
            model_name='gatewaypayment',
            constraint=models.UniqueConstraint(fields=('provider', 'reference'), name='wallet_gatewaypayment_once'),
        ),
        migrations.AddConstraint(
            model_name='gatewaypayment',
            constraint=models.CheckConstraint(condition=models.Q(('transfer', None), ('amount_minor__gt', 0), _connector='OR'), name='wallet_gatewaypayment_known_when_booked'),
        ),
        migrations.AddIndex(
            model_name='paymentreturn',
            index=models.Index(condition=models.Q(('status__in', ['open', 'checking'])), fields=['player'], name='wallet_paymentreturn_unsettled'),
        ),
        migrations.AddConstraint(
            model_name='paymentreturn',
            constraint=models.UniqueConstraint(fields=('provider', 'reference'), name='wallet_paymentreturn_once'),
        ),
        migrations.AddConstraint(
            model_name='paymentreturn',
            constraint=models.CheckConstraint(condition=models.Q(('amount_minor__gt', 0)), name='wallet_paymentreturn_of_something'),
        ),
        migrations.AddConstraint(
            model_name='paymentreturn',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('status', 'taken'), ('transfer__isnull', False)), models.Q(models.Q(('status', 'taken'), _negated=True), ('transfer__isnull', True)), _connector='OR'), name='wallet_paymentreturn_taken_is_posted'),
        ),
        migrations.AddConstraint(
            model_name='paymentreturn',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('closed_at__isnull', True), ('status__in', ['open', 'checking'])), models.Q(('closed_at__isnull', False), ('status__in', ['taken', 'dropped'])), _connector='OR'), name='wallet_paymentreturn_closed_has_a_time'),
        ),
        migrations.AlterField(
            model_name='transfer',
            name='document',
            field=models.CharField(blank=True, choices=[('order', 'Order at a gateway'), ('payment', 'Payment to be placed by staff'), ('task', 'Payment placed by staff'), ('payment_return', 'Refund or dispute of a payment'), ('withdrawal', 'Withdrawal'), ('payout', 'Withdrawal paid by the bank'), ('withholding', 'Tax of a year'), ('stake', 'Stake'), ('game', 'All stakes of a game'), ('stakes', 'Stakes given back'), ('stack', 'Stack cashed out'), ('deal', 'Deal at a points table'), ('ticket', 'Ticket'), ('guarantee', 'Guarantee of a game'), ('sign_up', 'Sign-up'), ('refill', 'Daily refill'), ('bot', 'Practice bot'), ('lot', 'Bonus'), ('adjustment', 'Approved correction')], default='', max_length=16),
        ),
        *(
            migrations.RunSQL((SQL / part).read_text(), migrations.RunSQL.noop)
            for part in ("payments.sql", "policies.sql", "documents.sql")
        ),
    ]
