"""What the house does about tables: rulings with a reason, drains, and who came from where."""

from __future__ import annotations

from typing import ClassVar, Self

from django.conf import settings
from django.db import models

from tables.models.deal import Deal
from tables.models.table import Seat, Table


class Ruling(models.Model):
    """A staff member's word about a table, carried out as it was written down (RB 7.7)."""

    class Kind(models.TextChoices):
        CANCEL = "cancel", "Cancel the game"
        VOID = "void", "Void the deal on the table"

    table = models.ForeignKey(Table, on_delete=models.PROTECT, related_name="rulings")
    deal = models.ForeignKey(
        Deal, on_delete=models.PROTECT, null=True, blank=True, related_name="rulings"
    )
    kind = models.CharField(max_length=6, choices=Kind)
    # Players read it.
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
        return f"{self.kind} at table {self.table_id}"


class DrainQuerySet(models.QuerySet["Drain"]):
    def on(self) -> Self:
        return self.filter(lifted_at__isnull=True)


class Drain(models.Model):
    """While it lasts no deal begins: those under way are played to their end and settled."""

    reason = models.CharField(max_length=120)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()
    lifted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    lifted_at = models.DateTimeField(null=True, blank=True)

    objects = DrainQuerySet.as_manager()

    class Meta:
        ordering: ClassVar[list[str]] = ["-pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                models.F("lifted_at"),
                condition=models.Q(lifted_at__isnull=True),
                nulls_distinct=False,
                name="tables_drain_one_at_a_time",
            ),
        ]

    def __str__(self) -> str:
        return f"drain since {self.at:%Y-%m-%d %H:%M}"


class OriginHashes(models.Model):
    """Where a player came from, as keyed hashes that tell sameness and nothing else."""

    KEPT: ClassVar = ("network_hash", "device_hash", "consent_version")

    network_hash = models.CharField(max_length=64, db_index=True)
    # Of a cookie that lasts; empty where the browser sent none.
    device_hash = models.CharField(max_length=64, default="", blank=True, db_index=True)
    # Which version of `players.consent` the player had agreed to.
    consent_version = models.CharField(max_length=20, default="", blank=True)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        abstract = True


class SeatOrigin(OriginHashes):
    """Where a player sat down from; at a tournament's table, where they registered from."""

    seat = models.OneToOneField(Seat, on_delete=models.PROTECT, related_name="origin")

    def __str__(self) -> str:
        return f"origin of seat {self.seat_id}"


class ReviewFlagQuerySet(models.QuerySet["ReviewFlag"]):
    def unreviewed(self) -> Self:
        return self.filter(reviewed_at__isnull=True)

    def of_player(self, player: models.Model) -> Self:
        return self.filter(models.Q(seat__player=player) | models.Q(other__player=player))


class ReviewFlag(models.Model):
    """Two seats of one table that staff should look at; it accuses nobody."""

    class Kind(models.TextChoices):
        NETWORK = "network", "Same network"
        DEVICE = "device", "Same device"

    table = models.ForeignKey(Table, on_delete=models.PROTECT, related_name="review_flags")
    kind = models.CharField(max_length=7, choices=Kind)
    seat = models.ForeignKey(Seat, on_delete=models.PROTECT, related_name="+")
    other = models.ForeignKey(Seat, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now_add=True)
    reviewed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    reviewed_at = models.DateTimeField(null=True, blank=True)
    note = models.CharField(max_length=500, default="", blank=True)

    objects = ReviewFlagQuerySet.as_manager()

    class Meta:
        ordering: ClassVar[list[str]] = ["-pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["kind", "seat", "other"], name="tables_reviewflag_once_a_pair"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} at table {self.table_id}"
