
import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('players', '0010_returning_players'),
    ]

    operations = [
        migrations.AlterField(
            model_name='user',
            name='handle',
            field=models.CharField(help_text='The name other players see.', max_length=20, validators=[django.core.validators.RegexValidator('\\A[A-Za-z0-9_]{3,20}\\Z', 'Use 3 to 20 letters, digits or underscores.')], verbose_name='handle'),
        ),
    ]
