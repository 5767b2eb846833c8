from pathlib import Path

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

SQL = Path(__file__).parent.parent / "sql"


class Migration(migrations.Migration):
    """Let a second person approve a term of new deposits; terms set by one alone wait for them."""

    dependencies = [
        ("wallet", "0032_sealing_without_a_lock"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RenameField("depositterm", "set_by", "made_by"),
        migrations.RenameField("depositterm", "set_at", "made_at"),
        migrations.AddField(
            "depositterm",
            "status",
            models.CharField(
                choices=[
                    ("requested", "Waiting for a second person"),
                    ("approved", "Approved"),
                    ("rejected", "Rejected"),
                ],
                default="requested",
                max_length=9,
            ),
        ),
        migrations.AddField(
            "depositterm",
            "checked_by",
            models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField("depositterm", "checked_at", models.DateTimeField(null=True)),
        migrations.AddConstraint(
            "depositterm",
            models.CheckConstraint(
                condition=models.Q(checked_by__isnull=True)
                | ~models.Q(checked_by=models.F("made_by")),
                name="wallet_depositterm_checked_by_another",
            ),
        ),
        migrations.AddConstraint(
            "depositterm",
            models.CheckConstraint(
                condition=models.Q(checked_at=None, checked_by=None, status="requested")
                | models.Q(
                    checked_at__isnull=False,
                    checked_by__isnull=False,
                    status__in=["approved", "rejected"],
                ),
                name="wallet_depositterm_decided_by_somebody",
            ),
        ),
        migrations.RunSQL((SQL / "deposit_terms.sql").read_text()),
    ]
