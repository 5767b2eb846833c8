from pathlib import Path

from django.db import migrations, models

SQL = Path(__file__).parent.parent / "sql"


class Migration(migrations.Migration):
    """Keep a version of each row that says something about money."""

    dependencies = [("wallet", "0022_entries_asked_at_once"), ("players", "0005_notices_of_places")]

    operations = [
        migrations.CreateModel(
            name="RowVersion",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("xid", models.BigIntegerField(editable=False)),
                ("relation", models.CharField(max_length=63)),
                ("row_key", models.CharField(max_length=64)),
                (
                    "act",
                    models.CharField(
                        choices=[
                            ("insert", "Written"),
                            ("update", "Changed"),
                            ("delete", "Deleted"),
                            ("adopt", "Taken over"),
                        ],
                        max_length=6,
                    ),
                ),
                ("facts", models.JSONField()),
            ],
            options={
                "indexes": [
                    models.Index(fields=["xid", "id"], name="wallet_rowversion_seal_order")
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("act__in", ["insert", "update", "delete", "adopt"])),
                        name="wallet_rowversion_act_known",
                    )
                ],
            },
        ),
        *(
            migrations.RunSQL((SQL / part).read_text())
            for part in ("versions.sql", "versions_guarded.sql", "watched.sql")
        ),
    ]
