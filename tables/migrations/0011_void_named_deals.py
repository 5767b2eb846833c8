from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tables", "0010_bot_strength"),
    ]

    operations = [
        migrations.AddConstraint(
            model_name="ruling",
            constraint=models.UniqueConstraint(
                condition=models.Q(("kind", "void")),
                fields=("deal",),
                name="tables_ruling_voids_a_deal_once",
            ),
        ),
        migrations.AddConstraint(
            model_name="ruling",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("kind", "void"), _negated=True),
                    ("deal__isnull", False),
                    _connector="OR",
                ),
                name="tables_ruling_void_names_its_deal",
            ),
        ),
    ]
