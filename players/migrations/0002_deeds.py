from pathlib import Path

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

DEEDS = Path(__file__).parent.parent / "sql" / "deeds.sql"
UNDO = """
DROP TRIGGER append_only ON players_deed;
DROP TRIGGER not_emptied ON players_deed;
DROP FUNCTION players_refuse_rewriting();
"""


class Migration(migrations.Migration):

    dependencies = [
        ('players', '0001_initial'),
    ]

    operations = [
        migrations.AlterModelOptions(
            name='user',
            options={'permissions': [('block_user', 'Can block players and let them in again'), ('end_session', 'Can sign players out')], 'verbose_name': 'player', 'verbose_name_plural': 'players'},
        ),
        migrations.CreateModel(
            name='Deed',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('act', models.CharField(max_length=40)),
                ('kind', models.CharField(max_length=60)),
                ('row', models.CharField(max_length=40)),
                ('name', models.CharField(max_length=200)),
                ('reason', models.CharField(blank=True, default='', max_length=500)),
                ('before', models.TextField(blank=True, default='')),
                ('after', models.TextField(blank=True, default='')),
                ('about', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='deeds_about', to=settings.AUTH_USER_MODEL)),
                ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='deeds', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'deed of staff',
                'verbose_name_plural': 'deeds of staff',
                'ordering': ['-pk'],
                'indexes': [models.Index(fields=['kind', 'row'], name='players_deed_of_a_row'), models.Index(fields=['at'], name='players_deed_by_time')],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('act', ''), _negated=True), models.Q(('kind', ''), _negated=True), models.Q(('row', ''), _negated=True)), name='players_deed_says_what_was_done')],
            },
        ),
        migrations.RunSQL(DEEDS.read_text(), UNDO),
    ]
