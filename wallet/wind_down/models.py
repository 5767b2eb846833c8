"""Daily wind-down reports: money owed in places where play for money is closed; append-only."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, Self

from django.db import models

from core.db.identifiers import ProtectedForeignKey
from players.accounts.places import place_name
from players.eligibility.places.models import Offer
from wallet.ledger.money import MoneyProperty


class OwedReportQuerySet(models.QuerySet["OwedReport"]):
    def unmailed(self) -> Self:
        return self.filter(mailed_at=None)

    def locked(self) -> Self:
        return self.select_for_update(no_key=True, skip_locked=True).order_by("pk")


class OwedReport(models.Model):
    """One day's report in one currency, with the ledger's figures at its creation."""

    day = models.DateField()
    currency = models.CharField(max_length=3)
    made_at = models.DateTimeField()
    # Null until it has been e-mailed.
    mailed_at = models.DateTimeField(null=True)

    objects = OwedReportQuerySet.as_manager()

    class Meta:
        verbose_name = "wind-down report"
        verbose_name_plural = "wind-down reports"
        ordering: ClassVar[list[str]] = ["-day", "currency"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["day", "currency"], name="wallet_owedreport_once_a_day"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.day} {self.currency}"


class OwedLine(models.Model):
    """What is owed in one place, and what is offered there."""

    # Since when; set by `owed_in_wind_down`, and None if the place has no dated row.
    since: datetime | None = None

    report = ProtectedForeignKey(OwedReport, related_name="lines", db_index=False)
    country = models.CharField(max_length=2, blank=True)
    region = models.CharField(max_length=3, blank=True)
    offer = models.CharField(max_length=10, choices=Offer)
    # Players with money on any account except tickets.
    players = models.PositiveIntegerField()
    wallets_minor = models.BigIntegerField()
    withdrawals_minor = models.BigIntegerField()
    in_games_minor = models.BigIntegerField()
    # Bonuses can be played but never withdrawn.
    bonuses_minor = models.BigIntegerField()

    class Meta:
        ordering: ClassVar[list[str]] = ["report", "pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["report", "country", "region"], name="wallet_owedline_once_a_place"
            ),
        ]

    def __str__(self) -> str:
        return self.place or "-"

    @property
    def place(self) -> str:
        return place_name(self.country, self.region)

    wallets = MoneyProperty("wallets_minor", currency="report.currency")
    withdrawals = MoneyProperty("withdrawals_minor", currency="report.currency")
    in_games = MoneyProperty("in_games_minor", currency="report.currency")
    bonuses = MoneyProperty("bonuses_minor", currency="report.currency")
