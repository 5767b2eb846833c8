"""What a deal and a game came to: history that is written once."""

from __future__ import annotations

from typing import ClassVar, Self

from django.db import models
from moneyed import Money

from tables.models.deal import Deal
from tables.models.table import Seat, Table
from wallet.money import as_money


class Score(models.Model):
    class How(models.TextChoices):
        WON = "won", "Won the deal"
        LOST = "lost", "Lost"
        FIRST_DROP = "first_drop", "First drop"
        MIDDLE_DROP = "middle_drop", "Middle drop"
        WRONG_SHOW = "wrong_show", "Wrong show"

    deal = models.ForeignKey(Deal, on_delete=models.PROTECT, related_name="scores")
    seat = models.ForeignKey(Seat, on_delete=models.PROTECT, related_name="scores")
    points = models.PositiveSmallIntegerField()
    total_after = models.PositiveIntegerField()
    how = models.CharField(max_length=12, choices=How)
    # Deals rummy: the stack of chips after this deal; it may be below nothing.
    chips_after = models.IntegerField(null=True, blank=True)
    # Points rummy: what the deal brought (net of rake) or cost, in minor units.
    won_minor = models.BigIntegerField(null=True, blank=True)
    # The arrangement the points were counted from ("5H 6H 7H | KD KS KC / 9C QD").
    arrangement = models.CharField(max_length=200, default="", blank=True)

    class Meta:
        ordering: ClassVar[list[str]] = ["deal", "seat__number"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["deal", "seat"], name="tables_score_once_per_deal"),
        ]

    def __str__(self) -> str:
        return f"{self.points} points for seat {self.seat_id} in deal {self.deal_id}"


class EliminationQuerySet(models.QuerySet["Elimination"]):
    def standing(self) -> Self:
        """Eliminations no rejoin has undone."""
        return self.filter(rejoined_at__isnull=True)


class Elimination(models.Model):
    seat = models.ForeignKey(Seat, on_delete=models.PROTECT, related_name="eliminations")
    deal = models.ForeignKey(Deal, on_delete=models.PROTECT, related_name="eliminations")
    total = models.PositiveIntegerField()
    at = models.DateTimeField(auto_now_add=True)
    # Set when the seat bought in again: then it is history, and the seat plays on.
    rejoined_at = models.DateTimeField(null=True, blank=True)
    # The total the seat plays on with since then (RB 7.3).
    rejoined_total = models.PositiveIntegerField(null=True, blank=True)

    objects = EliminationQuerySet.as_manager()

    class Meta:
        ordering: ClassVar[list[str]] = ["pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["seat"],
                condition=models.Q(rejoined_at__isnull=True),
                name="tables_elimination_one_standing",
            ),
            models.CheckConstraint(
                condition=models.Q(rejoined_at__isnull=True, rejoined_total__isnull=True)
                | models.Q(rejoined_at__isnull=False, rejoined_total__isnull=False),
                name="tables_elimination_rejoined_at_a_total",
            ),
        ]

    def __str__(self) -> str:
        return f"seat {self.seat_id} out at {self.total}"


class Result(models.Model):
    """How a game ended for one seat."""

    table = models.ForeignKey(Table, on_delete=models.PROTECT, related_name="results")
    seat = models.OneToOneField(Seat, on_delete=models.PROTECT, related_name="result")
    place = models.PositiveSmallIntegerField()
    total = models.PositiveIntegerField()
    prize_minor = models.BigIntegerField(default=0)

    class Meta:
        ordering: ClassVar[list[str]] = ["table", "place"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                condition=models.Q(prize_minor__gte=0), name="tables_result_prize_not_negative"
            ),
        ]

    def __str__(self) -> str:
        return f"place {self.place} at table {self.table_id}"

    @property
    def prize(self) -> Money:
        return as_money(self.prize_minor, self.table.currency)
