from pathlib import Path

from django.db import migrations, models

SEALS = Path(__file__).parent.parent / "sql" / "seals.sql"

class Migration(migrations.Migration):

    dependencies = [
        ('wallet', '0004_safekeeping'),
    ]

    operations = [
        migrations.CreateModel(
            name='AuditRun',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('ran_at', models.DateTimeField(auto_now_add=True)),
                ('differences', models.IntegerField()),
                ('transfers', models.BigIntegerField()),
                ('entries', models.BigIntegerField()),
                ('seconds', models.FloatField()),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='Seal',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.BigIntegerField(unique=True)),
                ('from_xid', models.BigIntegerField()),
                ('to_xid', models.BigIntegerField()),
                ('transfer_count', models.BigIntegerField()),
                ('entry_count', models.BigIntegerField()),
                ('previous', models.CharField(max_length=64)),
                ('hash', models.CharField(max_length=64, unique=True)),
                ('sealed_at', models.DateTimeField()),
            ],
            options={
                'ordering': ['-number'],
                'constraints': [models.CheckConstraint(condition=models.Q(('to_xid__gt', models.F('from_xid')), ('transfer_count__gt', 0)), name='wallet_seal_holds_something')],
            },
        ),
        migrations.RunSQL(SEALS.read_text()),
    ]
