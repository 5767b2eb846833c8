"""Doubts about a player's location: the IP address and the account have different places."""

from __future__ import annotations

from typing import ClassVar, Self

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from core.db.row_locks import LockableQuerySet
from players.accounts.places import place_name


class PlaceDoubtQuerySet(LockableQuerySet["PlaceDoubt"]):
    def open(self) -> Self:
        return self.filter(settled_at=None)


class PlaceDoubt(models.Model):
    """One mismatch, open until it is settled. The IP address is not stored."""

    class Kind(models.TextChoices):
        ELSEWHERE = "elsewhere", _("IP address is in another place")
        HIDDEN = "hidden", _("IP address hides its location")
        UNPLACED = "unplaced", _("Region of the IP address is unknown")

    class Settlement(models.TextChoices):
        """How it was settled: by the player's IP address, or by staff."""

        BACK = "back", _("IP address matches the account")
        STAFF = "staff", _("Settled by staff")

    player = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="place_doubts"
    )
    kind = models.CharField(max_length=9, choices=Kind)
    # Place of the account, and of the IP address by the GeoIP file; empty if unknown.
    declared_country = models.CharField(max_length=2)
    declared_region = models.CharField(max_length=3, blank=True)
    seen_country = models.CharField(max_length=2, blank=True)
    seen_region = models.CharField(max_length=3, blank=True)
    noticed_at = models.DateTimeField()
    settled_at = models.DateTimeField(null=True, blank=True)
    settlement = models.CharField(max_length=5, choices=Settlement, blank=True, default="")
    settled_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        db_index=False,
    )
    reason = models.CharField(max_length=200, blank=True, default="")

    objects = PlaceDoubtQuerySet.as_manager()

    class Meta:
        ordering: ClassVar[list[str]] = ["-pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["player"],
                condition=models.Q(settled_at=None),
                name="players_placedoubt_stands_once",
            ),
            models.CheckConstraint(
                condition=models.Q(settled_at=None, settlement="", settled_by=None, reason="")
                | models.Q(settled_at__isnull=False, settlement="back", settled_by=None, reason="")
                | models.Q(settled_at__isnull=False, settlement="staff", settled_by__isnull=False)
                & ~models.Q(reason=""),
                name="players_placedoubt_settled_in_one_way",
            ),
            models.CheckConstraint(
                condition=models.Q(settled_by=None) | ~models.Q(settled_by=models.F("player")),
                name="players_placedoubt_settled_by_another",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}: {self.seen or '-'}"

    @property
    def declared(self) -> str:
        return place_name(self.declared_country, self.declared_region)

    @property
    def seen(self) -> str:
        return place_name(self.seen_country, self.seen_region) if self.seen_country else ""
