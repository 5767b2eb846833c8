import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import core.db.identifiers
from core.db.schema import InitialMigration


class Migration(InitialMigration):

    initial = True

    dependencies = [
        ('players', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='AuditEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False,
                verbose_name='ID')), ('by', models.ForeignKey(blank=True, null=True,
                on_delete=django.db.models.deletion.PROTECT, related_name='audit_entries',
                to=settings.AUTH_USER_MODEL)), ('service', models.CharField(blank=True, default='',
                max_length=20)), ('at', models.DateTimeField(auto_now_add=True)), ('act',
                models.CharField(max_length=40)), ('kind', models.CharField(max_length=60)), ('row',
                models.CharField(max_length=40)), ('name', models.CharField(max_length=200)),
                ('about', models.ForeignKey(blank=True, null=True,
                on_delete=django.db.models.deletion.PROTECT, related_name='audit_entries_about',
                to=settings.AUTH_USER_MODEL)), ('reason', models.CharField(blank=True, default='',
                max_length=500)), ('before', models.TextField(blank=True, default='')), ('after',
                models.TextField(blank=True, default='')),
            ],
            options={
                'verbose_name': 'staff action',
                'verbose_name_plural': 'staff actions',
                'ordering': ['-pk'],
                'indexes': [models.Index(fields=['kind', 'row'], name='core_auditentry_of_a_row'), models.Index(fields=['at'], name='core_auditentry_by_time')],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('act', ''), _negated=True), models.Q(('kind', ''), _negated=True), models.Q(('row', ''), _negated=True)), name='core_auditentry_says_what_was_done'), models.CheckConstraint(condition=models.Q(models.Q(('by__isnull', False), ('service', '')), models.Q(('by', None), models.Q(('service', ''), _negated=True)), _connector='OR'), name='core_auditentry_has_one_actor')],
            },
        ),
        migrations.CreateModel(
            name='ArchivedMonth',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False,
                verbose_name='ID')), ('relation', models.CharField(max_length=63)), ('month',
                models.DateField()), ('row_count', models.BigIntegerField()), ('file',
                models.CharField(max_length=200)), ('sha256', models.CharField(max_length=64)),
                ('archived_at', models.DateTimeField()), ('restored_at',
                models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'ordering': ['-pk'],
                'constraints': [models.UniqueConstraint(condition=models.Q(('restored_at__isnull', True)), fields=('relation', 'month'), name='core_archivedmonth_once')],
            },
        ),
        migrations.CreateModel(
            name='Event',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.UUIDField(default=core.db.identifiers.new_public_id, editable=False, unique=True)),
                ('kind', models.CharField(choices=[('game.finished', 'Game finished'),
                ('withdrawal.asked', 'Withdrawal asked for'), ('day.closed', 'Day closed')],
                max_length=30)), ('key', models.CharField(max_length=60)), ('body',
                models.TextField()), ('happened_at', models.DateTimeField()), ('planned_at',
                models.DateTimeField(null=True)),
            ],
            options={
                'ordering': ['-pk'],
                'indexes': [models.Index(condition=models.Q(('planned_at__isnull', True)), fields=['id'], name='core_event_unplanned'), models.Index(fields=['happened_at'], name='core_event_by_time')],
                'constraints': [models.UniqueConstraint(fields=('kind', 'key'), name='core_event_happens_once')],
            },
        ),
        migrations.CreateModel(
            name='Lease',
            fields=[
                ('name', models.CharField(max_length=20, primary_key=True, serialize=False)),
                ('renewed_at', models.DateTimeField()),
            ],
        ),
    ]
