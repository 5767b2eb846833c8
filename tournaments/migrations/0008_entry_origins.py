
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0007_ticket_refunds'),
    ]

    operations = [
        migrations.CreateModel(
            name='EntryOrigin',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('network_hash', models.CharField(db_index=True, max_length=64)),
                ('device_hash', models.CharField(blank=True, db_index=True, default='', max_length=64)),
                ('consent_version', models.CharField(blank=True, default='', max_length=20)),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('entry', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='origin', to='tournaments.entry')),
            ],
            options={
                'abstract': False,
            },
        ),
    ]
