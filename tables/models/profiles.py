"""Rules profiles, and what players stake at a table."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.utils.translation import gettext_lazy

from core.clock import CreatedAtField


class RuleProfile(models.Model):
    """One version of a set of rules, never edited: a table keeps the version it was opened with."""

    name = models.CharField(max_length=60)
    version = models.PositiveIntegerField()
    # `rummy.Rules.to_text()`, parsed again by `rummy.Rules.from_text()`.
    text = models.TextField()
    sha256 = models.CharField(max_length=64, unique=True)
    created_at = CreatedAtField()

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["name", "version"], name="tables_ruleprofile_version_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} v{self.version}"


class StakeMode(models.TextChoices):
    CASH = "cash", gettext_lazy("Paid entry")
    CHIPS = "chips", gettext_lazy("Chips of a tournament")
