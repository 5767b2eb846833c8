import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

# What was asked for stays as it was asked; a decision is added once. The audit keeps its versions.
GUARD = """
REVOKE UPDATE, DELETE, TRUNCATE ON tournaments_ticketrefund FROM rummy_app;
GRANT UPDATE (status, checked_by_id, checked_at, transfer_id) ON tournaments_ticketrefund TO rummy_app;
SELECT wallet_watch('tournaments_ticketrefund');
"""


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0006_watched'),
        ('wallet', '0023_row_versions'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='TicketRefund',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('amount_minor', models.BigIntegerField()),
                ('made_at', models.DateTimeField(auto_now_add=True)),
                ('status', models.CharField(choices=[('requested', 'Waiting for a second person'), ('approved', 'Approved'), ('rejected', 'Rejected')], default='requested', max_length=9)),
                ('checked_at', models.DateTimeField(null=True)),
                ('reason', models.CharField(max_length=200)),
                ('checked_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('made_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('ticket', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='refunds', to='tournaments.ticket')),
                ('transfer', models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='ticket_refund', to='wallet.transfer')),
            ],
            options={
                'ordering': ['-id'],
                'permissions': (('check_ticketrefund', 'Can approve and reject refunds of tickets'),),
                'abstract': False,
                'constraints': [models.CheckConstraint(condition=models.Q(('checked_by__isnull', True), models.Q(('checked_by', models.F('made_by')), _negated=True), _connector='OR'), name='tournaments_ticketrefund_checked_by_another'), models.CheckConstraint(condition=models.Q(models.Q(('checked_at', None), ('checked_by', None), ('status', 'requested')), models.Q(('checked_at__isnull', False), ('checked_by__isnull', False), ('status__in', ['approved', 'rejected'])), _connector='OR'), name='tournaments_ticketrefund_decided_by_somebody'), models.UniqueConstraint(condition=models.Q(('status__in', ['requested', 'approved'])), fields=('ticket',), name='tournaments_ticketrefund_once_a_ticket'), models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='tournaments_ticketrefund_has_a_reason'), models.CheckConstraint(condition=models.Q(models.Q(('status', 'approved'), ('transfer__isnull', False)), models.Q(models.Q(('status', 'approved'), _negated=True), ('transfer__isnull', True)), _connector='OR'), name='tournaments_ticketrefund_approved_is_posted')],
            },
        ),
        migrations.RunSQL(GUARD, migrations.RunSQL.noop),
    ]
