from django.db import migrations, models

# So far late entries were told from drawn ones by nothing but their time.
FILL = """
UPDATE tournaments_entry e SET is_late = true FROM tournaments_tournament t
WHERE t.id = e.tournament_id AND e.draw_no IS NOT NULL AND t.late_minutes > 0
  AND NOT t.bots_fill AND e.registered_at > t.started_at
"""


class Migration(migrations.Migration):
    dependencies = [("tournaments", "0004_calendar_slots")]

    operations = [
        migrations.AddField(
            model_name="entry", name="is_late", field=models.BooleanField(default=False)
        ),
        migrations.RunSQL(FILL, migrations.RunSQL.noop),
    ]
