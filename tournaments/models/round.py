"""Rounds, their tables, who sat at them, and the prizes as they were frozen."""

from __future__ import annotations

from typing import ClassVar, Self

from django.db import models
from moneyed import Money

from tables.models import Table
from tournaments.models.entry import Entry
from tournaments.models.tournament import Tournament
from wallet.money import as_money


class Round(models.Model):
    tournament = models.ForeignKey(Tournament, on_delete=models.PROTECT, related_name="rounds")
    no = models.PositiveSmallIntegerField()
    is_final = models.BooleanField(default=False)
    started_at = models.DateTimeField()
    # No new deal at its tables after this; null for no limit.
    ends_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar[list[str]] = ["tournament", "no"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["tournament", "no"], name="tournaments_round_once"),
        ]

    def __str__(self) -> str:
        return f"round {self.no} of tournament {self.tournament_id}"


class RoundTableQuerySet(models.QuerySet["RoundTable"]):
    def unfinished(self) -> Self:
        return self.filter(finished_at__isnull=True)


class RoundTable(models.Model):
    """One table of a round; without a table it is a bye."""

    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="round_tables")
    no = models.PositiveIntegerField()
    table = models.OneToOneField(
        Table, on_delete=models.PROTECT, null=True, blank=True, related_name="round_table"
    )
    qualify = models.PositiveSmallIntegerField()
    # When its result was taken over, once.
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = RoundTableQuerySet.as_manager()

    class Meta:
        ordering: ClassVar[list[str]] = ["round", "no"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["round", "no"], name="tournaments_roundtable_once"),
        ]

    def __str__(self) -> str:
        return f"table {self.no} of {self.round}"


class Seating(models.Model):
    """An entry at a table of a round, and what came of it."""

    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="seatings")
    round_table = models.ForeignKey(RoundTable, on_delete=models.PROTECT, related_name="seatings")
    entry = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="seatings")
    # At this table, ties counted once each: 1, 2, 2, 4.
    place = models.PositiveSmallIntegerField(null=True, blank=True)
    # Points lost, or chips where the game is played for chips.
    total = models.IntegerField(null=True, blank=True)
    deals_lost = models.PositiveSmallIntegerField(null=True, blank=True)
    last_points = models.PositiveSmallIntegerField(null=True, blank=True)
    qualified = models.BooleanField(null=True)

    class Meta:
        ordering: ClassVar[list[str]] = ["round_table", "place", "pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["round", "entry"], name="tournaments_seating_once"),
        ]

    def __str__(self) -> str:
        return f"{self.entry} at {self.round_table}"


class Prize(models.Model):
    """One row of the prize list, written when the pool is frozen (RB 10.3)."""

    tournament = models.ForeignKey(Tournament, on_delete=models.PROTECT, related_name="prizes")
    place = models.PositiveIntegerField()
    bps = models.PositiveIntegerField()
    amount_minor = models.BigIntegerField()
    # A satellite's: a ticket of this worth instead of money.
    is_ticket = models.BooleanField(default=False)

    class Meta:
        ordering: ClassVar[list[str]] = ["tournament", "place"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["tournament", "place"], name="tournaments_prize_once_a_place"
            ),
            models.CheckConstraint(
                condition=models.Q(amount_minor__gte=0), name="tournaments_prize_not_negative"
            ),
        ]

    def __str__(self) -> str:
        return f"prize {self.place} of tournament {self.tournament_id}"

    @property
    def amount(self) -> Money:
        return as_money(self.amount_minor, self.tournament.currency)
