"""Breaks from play that players take themselves; they cannot be shortened or lifted."""

from __future__ import annotations

from datetime import timedelta
from typing import ClassVar, Final, Self

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from core.clock import Moment
from core.db.identifiers import ProtectedForeignKey
from players.accounts.models import User
from players.identity.states import may_be_of

COOL_OFF_MIN: Final = timedelta(days=1)
COOL_OFF_MAX: Final = timedelta(weeks=6)
EXCLUSION_MIN: Final = timedelta(days=183)


class BreakQuerySet(models.QuerySet["Break"]):
    def of_person(self, player: User) -> Self:
        """Return the breaks of a player and of closed accounts that had their address or PAN."""
        return self.filter(may_be_of(player))

    def running_at(self, moment: Moment) -> Self:
        return self.filter(models.Q(ends_at=None) | models.Q(ends_at__gt=moment))


class Break(models.Model):
    """A break that starts immediately. If several run, the one that ends last counts."""

    class Kind(models.TextChoices):
        COOL_OFF = "cool_off", _("Break")
        EXCLUSION = "exclusion", _("Self-exclusion")

    player = ProtectedForeignKey(settings.AUTH_USER_MODEL, related_name="breaks")
    kind = models.CharField(max_length=9, choices=Kind)
    began_at = models.DateTimeField()
    # None: permanent.
    ends_at = models.DateTimeField(null=True)

    objects = BreakQuerySet.as_manager()

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                condition=models.Q(
                    kind="cool_off",
                    ends_at__isnull=False,  # A CHECK passes if a comparison is NULL.
                    ends_at__gte=models.F("began_at") + COOL_OFF_MIN,
                    ends_at__lte=models.F("began_at") + COOL_OFF_MAX,
                )
                | models.Q(kind="exclusion", ends_at=None)
                | models.Q(kind="exclusion", ends_at__gte=models.F("began_at") + EXCLUSION_MIN),
                name="players_break_is_long_enough",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.player}: {self.kind} until {self.ends_at or 'for good'}"
