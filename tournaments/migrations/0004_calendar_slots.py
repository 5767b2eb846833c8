from django.db import migrations, models

# Before slots were kept, a calendar's tournament was known by its start.
FILL = "UPDATE tournaments_tournament SET slot_at = starts_at WHERE template_id IS NOT NULL"


class Migration(migrations.Migration):
    dependencies = [("tournaments", "0003_removed_entries")]

    operations = [
        migrations.AddField(
            model_name="tournament",
            name="slot_at",
            field=models.DateTimeField(blank=True, editable=False, null=True),
        ),
        migrations.RunSQL(FILL, migrations.RunSQL.noop),
        migrations.RemoveConstraint(
            model_name="tournament", name="tournaments_one_a_template_and_time"
        ),
        migrations.AddConstraint(
            model_name="tournament",
            constraint=models.UniqueConstraint(
                fields=("template", "slot_at"), name="tournaments_one_a_template_and_slot"
            ),
        ),
    ]
