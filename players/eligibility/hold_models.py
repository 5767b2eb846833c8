"""Holds by staff on one kind of action of a player: play, deposits or withdrawals."""

from __future__ import annotations

from typing import ClassVar, Self

from django.conf import settings
from django.db import models
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from core.db.identifiers import ProtectedForeignKey
from core.db.row_locks import LockableQuerySet


class HoldQuerySet(LockableQuerySet["Hold"]):
    def active(self) -> Self:
        return self.filter(lifted_at=None)


class Hold(models.Model):
    """A hold on one kind of action until staff lift it; the player can still sign in and read."""

    class Kind(models.TextChoices):
        PLAY = "play", _("Play")
        DEPOSIT = "deposit", _("Deposits")
        WITHDRAW = "withdraw", _("Withdrawals")

    player = ProtectedForeignKey(settings.AUTH_USER_MODEL, related_name="holds", db_index=False)
    kind = models.CharField(max_length=8, choices=Kind)
    # For staff only; not shown to players.
    reason = models.CharField(max_length=200)
    set_by = ProtectedForeignKey(settings.AUTH_USER_MODEL, related_name="+", db_index=False)
    set_at = models.DateTimeField()
    lifted_by = ProtectedForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, related_name="+", db_index=False
    )
    lifted_at = models.DateTimeField(null=True, blank=True)
    lift_reason = models.CharField(max_length=200, default="", blank=True)

    objects = HoldQuerySet.as_manager()

    class Meta:
        ordering: ClassVar[list[str]] = ["-pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["player", "kind"],
                condition=models.Q(lifted_at=None),
                name="players_hold_stands_once",
            ),
            models.CheckConstraint(
                condition=models.Q(kind__in=["play", "deposit", "withdraw"]),
                name="players_hold_kind_known",
            ),
            models.CheckConstraint(
                condition=~models.Q(reason=""), name="players_hold_has_a_reason"
            ),
            models.CheckConstraint(
                condition=models.Q(lifted_by=None, lifted_at=None, lift_reason="")
                | models.Q(lifted_by__isnull=False, lifted_at__isnull=False)
                & ~models.Q(lift_reason=""),
                name="players_hold_lifted_by_somebody",
            ),
            models.CheckConstraint(
                condition=~models.Q(set_by=models.F("player"))
                & (models.Q(lifted_by=None) | ~models.Q(lifted_by=models.F("player"))),
                name="players_hold_by_another_person",
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["player"], name="players_hold_of_player"),
        ]

    def __str__(self) -> str:
        names = {"kind": self.get_kind_display(), "player": self.player}
        return gettext("%(kind)s of %(player)s") % names
