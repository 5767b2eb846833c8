"""Where players sat down from, and pairs of seats for staff to review."""

from __future__ import annotations

from typing import ClassVar, Self

from django.conf import settings
from django.db import models
from django.utils.translation import gettext, gettext_lazy

from core.clock import CreatedAtField
from tables.models.seats import Seat
from tables.models.tables import OfTable, Table
from tables.state.same_table import SameTableOneToOne


class OriginHashes(models.Model):
    """Keyed hashes of where a player came from; they can only be compared for equality."""

    KEPT: ClassVar = ("network_hash", "device_hash", "consent_version")

    network_hash = models.CharField(max_length=64)
    # Of a persistent cookie; empty if the browser sent none.
    device_hash = models.CharField(max_length=64, default="", blank=True)
    # The version of `players.accounts.consent` that the player had agreed to.
    consent_version = models.CharField(max_length=20, default="", blank=True)
    at = CreatedAtField()

    class Meta:
        abstract = True


class SeatOrigin(OfTable, OriginHashes):
    """Where a player sat down from; at a tournament's table, where they registered from."""

    seat = SameTableOneToOne(
        Seat, on_delete=models.PROTECT, related_name="origin", db_constraint=False
    )

    def __str__(self) -> str:
        return f"origin of seat {self.seat_id}"


class ReviewFlagQuerySet(models.QuerySet["ReviewFlag"]):
    def unreviewed(self) -> Self:
        return self.filter(reviewed_at__isnull=True)

    def of_player(self, player: models.Model) -> Self:
        return self.filter(models.Q(seat__player=player) | models.Q(other__player=player))


class ReviewFlag(models.Model):
    """Two seats of one table for staff to review; not evidence of wrongdoing."""

    class Kind(models.TextChoices):
        NETWORK = "network", gettext_lazy("Same network")
        DEVICE = "device", gettext_lazy("Same device")

    table = models.ForeignKey(Table, on_delete=models.PROTECT, related_name="review_flags")
    kind = models.CharField(max_length=7, choices=Kind)
    seat = models.ForeignKey(Seat, on_delete=models.PROTECT, related_name="+")
    other = models.ForeignKey(Seat, on_delete=models.PROTECT, related_name="+")
    at = CreatedAtField()
    reviewed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    reviewed_at = models.DateTimeField(null=True, blank=True)
    note = models.CharField(max_length=500, default="", blank=True)

    objects = ReviewFlagQuerySet.as_manager()

    class Meta:
        verbose_name = "pair to review"
        verbose_name_plural = "pairs to review"
        ordering: ClassVar[list[str]] = ["-pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["kind", "seat", "other"], name="tables_reviewflag_once_a_pair"
            ),
        ]

    def __str__(self) -> str:
        names = {"kind": self.get_kind_display(), "table": self.table}
        return gettext("%(kind)s at %(table)s") % names
