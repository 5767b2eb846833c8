"""Players' own limits on deposits; every change is kept."""

from __future__ import annotations

from datetime import timedelta
from typing import ClassVar, Self

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _
from moneyed import Money

from wallet.ledger.money import as_money, as_text


class DepositLimitQuerySet(models.QuerySet["DepositLimit"]):
    def of_player(self, player: models.Model) -> Self:
        return self.filter(player=player)


class DepositLimit(models.Model):
    """A limit that a player set on their deposits; the site's limit applies too."""

    class Period(models.TextChoices):
        DAY = "day", _("24 hours")
        MONTH = "month", _("30 days")

    # They roll, so that no midnight doubles what may be paid in.
    SPAN: ClassVar[dict[str, timedelta]] = {"day": timedelta(days=1), "month": timedelta(days=30)}

    player = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="deposit_limits"
    )
    currency = models.CharField(max_length=3)
    period = models.CharField(max_length=5, choices=Period)
    # Null: no limit of their own.
    amount_minor = models.BigIntegerField(null=True)
    asked_at = models.DateTimeField()
    # Later than asked for a raise, which the next act before then makes void.
    applies_at = models.DateTimeField()

    objects = DepositLimitQuerySet.as_manager()

    class Meta:
        ordering: ClassVar[list[str]] = ["-id"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                condition=models.Q(amount_minor__isnull=True) | models.Q(amount_minor__gt=0),
                name="wallet_depositlimit_of_something",
            ),
            models.CheckConstraint(
                condition=models.Q(period__in=["day", "month"]),
                name="wallet_depositlimit_per_day_or_month",
            ),
            models.CheckConstraint(
                condition=models.Q(applies_at__gte=models.F("asked_at")),
                name="wallet_depositlimit_never_applied_before_asked",
            ),
        ]

    def __str__(self) -> str:
        limit = "the house limit" if self.amount is None else as_text(self.amount)
        return f"{limit} in {self.get_period_display()}"

    @property
    def amount(self) -> Money | None:
        return None if self.amount_minor is None else as_money(self.amount_minor, self.currency)
