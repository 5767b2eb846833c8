from pathlib import Path

import django.db.models.deletion
import players.identifiers
from django.db import migrations, models

JOBS = Path(__file__).parent.parent / "sql" / "export_jobs.sql"


class Migration(migrations.Migration):

    dependencies = [
        ('finance', '0002_gateway_files'),
        ('wallet', '0017_reconciliation_scope'),
    ]

    operations = [
        migrations.CreateModel(
            name='ExportJob',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.UUIDField(default=players.identifiers.new_public_id, editable=False, unique=True)),
                ('report', models.CharField(max_length=40)),
                ('format', models.CharField(max_length=10)),
                ('filters', models.TextField(blank=True, default='')),
                ('first_day', models.DateField(null=True)),
                ('last_day', models.DateField()),
                ('tz', models.CharField(max_length=64)),
                ('horizon', models.BigIntegerField(editable=False)),
                ('generated_at', models.DateTimeField()),
                ('file', models.CharField(blank=True, default='', max_length=64)),
                ('status', models.CharField(choices=[('queued', 'Queued'), ('running', 'Being written'), ('done', 'Ready'), ('failed', 'Failed'), ('gone', 'Gone')], default='queued', max_length=8)),
                ('attempts', models.SmallIntegerField(default=0)),
                ('beat_at', models.DateTimeField(null=True)),
                ('rows_done', models.BigIntegerField(default=0)),
                ('rows_total', models.BigIntegerField(null=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('finished_at', models.DateTimeField(null=True)),
                ('expires_at', models.DateTimeField(null=True)),
                ('size_bytes', models.BigIntegerField(null=True)),
                ('sha256', models.CharField(blank=True, default='', max_length=64)),
                ('code', models.CharField(blank=True, default='', max_length=40)),
                ('token', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='export_jobs', to='wallet.financetoken')),
            ],
            options={
                'ordering': ['-pk'],
                'indexes': [models.Index(condition=models.Q(('status__in', ['queued', 'running'])), fields=['beat_at'], name='finance_exportjob_unfinished')],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('finished_at', None), ('sha256', ''), ('status__in', ['queued', 'running'])), models.Q(('expires_at__isnull', False), ('finished_at__isnull', False), ('size_bytes__gt', 0), ('status__in', ['done', 'gone']), models.Q(('sha256', ''), _negated=True)), models.Q(('finished_at__isnull', False), ('sha256', ''), ('status', 'failed'), models.Q(('code', ''), _negated=True)), _connector='OR'), name='finance_exportjob_ends_one_way')],
            },
        ),
        migrations.RunSQL(JOBS.read_text(), migrations.RunSQL.noop),
    ]
