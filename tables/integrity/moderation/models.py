"""Rulings: staff decisions about a table, with a reason."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils.translation import gettext, gettext_lazy

from tables.models.deals import Deal
from tables.models.tables import Table


class Ruling(models.Model):
    """A staff decision about a table, carried out after it is saved (RB 7.7)."""

    class Kind(models.TextChoices):
        CANCEL = "cancel", gettext_lazy("Cancel the game")
        VOID = "void", gettext_lazy("Void the deal on the table")

    table = models.ForeignKey(Table, on_delete=models.PROTECT, related_name="rulings")
    deal = models.ForeignKey(
        Deal, on_delete=models.PROTECT, null=True, blank=True, related_name="rulings"
    )
    kind = models.CharField(max_length=6, choices=Kind)
    # Shown to players.
    reason = models.CharField(max_length=120)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        ordering: ClassVar[list[str]] = ["-pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["deal"],
                condition=models.Q(kind="void"),
                name="tables_ruling_voids_a_deal_once",
            ),
            models.CheckConstraint(
                condition=~models.Q(kind="void") | models.Q(deal__isnull=False),
                name="tables_ruling_void_names_its_deal",
            ),
        ]

    def __str__(self) -> str:
        names = {"kind": self.get_kind_display(), "table": self.table}
        return gettext("%(kind)s at %(table)s") % names
