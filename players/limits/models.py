"""Limits that players set for themselves; every change is kept."""

from __future__ import annotations

from datetime import timedelta
from typing import ClassVar, Final

from django.conf import settings
from django.db import models
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from core.db.identifiers import ProtectedForeignKey


class OwnLimit(models.Model):
    """A change of a player's own limit: a new amount, or none."""

    class Kind(models.TextChoices):
        DEPOSIT = "deposit", _("Deposits")
        LOSS = "loss", _("Losses")
        STAKE = "stake", _("Stake in one game")
        TABLES = "tables", _("Tables at the same time")
        TIME = "time", _("Time at tables")

    class Period(models.TextChoices):
        DAY = "day", _("24 hours")
        WEEK = "week", _("7 days")
        MONTH = "month", _("30 days")

    # Rolling periods, so that no limit doubles at midnight.
    SPAN: ClassVar[dict[str, timedelta]] = {
        "day": timedelta(days=1),
        "week": timedelta(days=7),
        "month": timedelta(days=30),
    }

    player = ProtectedForeignKey(settings.AUTH_USER_MODEL, related_name="own_limits")
    kind = models.CharField(max_length=7, choices=Kind)
    # Empty for a limit on tables or minutes.
    currency = models.CharField(max_length=3, blank=True, default="")
    # Empty for a limit without a period: on a stake, on a number of tables.
    period = models.CharField(max_length=5, choices=Period, blank=True, default="")
    # Of money. Null: no limit.
    amount_minor = models.BigIntegerField(null=True)
    # Of tables or minutes. Null: no limit.
    number = models.PositiveIntegerField(null=True)
    asked_at = models.DateTimeField()
    # After the request for an increase; another change before then replaces it.
    applies_at = models.DateTimeField()

    class Meta:
        ordering: ClassVar[list[str]] = ["-id"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                condition=models.Q(amount_minor__isnull=True) | models.Q(amount_minor__gt=0),
                name="players_ownlimit_of_something",
            ),
            models.CheckConstraint(
                condition=models.Q(number__isnull=True) | models.Q(number__gt=0),
                name="players_ownlimit_of_some_number",
            ),
            models.CheckConstraint(
                condition=models.Q(kind="deposit", period__in=["day", "month"])
                | models.Q(kind="loss", period__in=["day", "week", "month"])
                | models.Q(kind="time", period="day")
                | models.Q(kind__in=["stake", "tables"], period=""),
                name="players_ownlimit_period_fits_kind",
            ),
            models.CheckConstraint(
                condition=models.Q(kind__in=["deposit", "loss", "stake"], number=None)
                & ~models.Q(currency="")
                | models.Q(kind__in=["tables", "time"], amount_minor=None, currency=""),
                name="players_ownlimit_figure_fits_kind",
            ),
            models.CheckConstraint(
                condition=models.Q(applies_at__gte=models.F("asked_at")),
                name="players_ownlimit_never_applied_before_asked",
            ),
        ]

    def __str__(self) -> str:
        if not self.period:
            return str(self.get_kind_display())
        names = {"kind": self.get_kind_display(), "period": self.get_period_display()}
        return gettext("%(kind)s in %(period)s") % names

    @property
    def most(self) -> int | None:
        """Return the limit in minor units, tables or minutes; None for no limit."""
        return self.number if self.kind in OF_NUMBERS else self.amount_minor


# Limits on numbers rather than money.
OF_NUMBERS: Final = (OwnLimit.Kind.TABLES, OwnLimit.Kind.TIME)
