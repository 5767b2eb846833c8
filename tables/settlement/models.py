"""Windows between two deals: questions to seats about a rejoin or a split; and results."""

from __future__ import annotations

from typing import ClassVar, Self

from django.db import models
from django.utils.translation import gettext, gettext_lazy

from core.db.identifiers import new_public_id
from tables.models.deals import Deal
from tables.models.seats import Seat
from tables.models.tables import OfTable, Table
from tables.state.same_table import SameTableKey, SameTableOneToOne, SavedInItsTable
from wallet.ledger.money import MoneyProperty


class WindowQuerySet(models.QuerySet["Window"]):
    def open(self) -> Self:
        return self.filter(closed_at__isnull=True)


class Window(SavedInItsTable):
    """One question with its deadline; its answers' rows store the offered terms (RB 7.3, 7.4)."""

    class Kind(models.TextChoices):
        REJOIN = "rejoin", gettext_lazy("Rejoin")
        SPLIT = "split", gettext_lazy("Split")

    class Outcome(models.TextChoices):
        ACCEPTED = "accepted", gettext_lazy("Accepted")
        REFUSED = "refused", gettext_lazy("Refused")
        EXPIRED = "expired", gettext_lazy("Not answered in time")
        WITHDRAWN = "withdrawn", gettext_lazy("Somebody left")

    public_id = models.UUIDField(default=new_public_id, unique=True, editable=False)
    table = models.ForeignKey(
        Table, on_delete=models.PROTECT, related_name="windows", db_index=False
    )
    # The settled deal before it.
    deal = SameTableKey(Deal, on_delete=models.PROTECT, related_name="windows", db_constraint=False)
    kind = models.CharField(max_length=6, choices=Kind)
    # The seat that proposed a split; null for rejoins, which the rules offer.
    proposed_by = SameTableKey(
        Seat,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="proposals",
        db_constraint=False,
    )
    # The rest of the pause when a split was proposed; it resumes after the window.
    gap_ms_left = models.PositiveIntegerField(null=True, blank=True)
    outcome = models.CharField(max_length=9, choices=Outcome, default="", blank=True)
    opened_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True, blank=True)

    objects = WindowQuerySet.as_manager()

    class Meta:
        ordering: ClassVar[list[str]] = ["pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["table", "id"], name="tables_window_of_its_table"),
            models.UniqueConstraint(
                fields=["table"],
                condition=models.Q(closed_at__isnull=True),
                name="tables_window_one_open",
            ),
            models.UniqueConstraint(
                fields=["deal"],
                condition=models.Q(kind="rejoin"),
                name="tables_window_rejoin_once_per_deal",
            ),
            models.UniqueConstraint(
                fields=["deal", "proposed_by"],
                condition=models.Q(kind="split"),
                name="tables_window_split_once_per_seat",
            ),
            models.CheckConstraint(
                condition=models.Q(kind="split", proposed_by__isnull=False, gap_ms_left__gte=0)
                | models.Q(kind="rejoin", proposed_by__isnull=True, gap_ms_left__isnull=True),
                name="tables_window_split_is_proposed_in_a_gap",
            ),
            models.CheckConstraint(
                condition=models.Q(closed_at__isnull=True, outcome="")
                | (models.Q(closed_at__isnull=False) & ~models.Q(outcome="")),
                name="tables_window_closed_has_an_outcome",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} after {self.deal_id}"


class AnswerQuerySet(models.QuerySet["Answer"]):
    def awaited(self) -> Self:
        """Answers that are still missing; seats that have left are not asked."""
        return self.filter(said="", seat__left_at__isnull=True)


class Answer(OfTable):
    """The terms offered to one seat in a window, and its answer."""

    class Said(models.TextChoices):
        YES = "yes", gettext_lazy("Yes")
        NO = "no", gettext_lazy("No")

    window = SameTableKey(
        Window,
        on_delete=models.PROTECT,
        related_name="answers",
        db_constraint=False,
        db_index=False,
    )
    seat = SameTableKey(Seat, on_delete=models.PROTECT, related_name="answers", db_constraint=False)
    # The seat's total after a yes to a rejoin, or the total on which a split is based.
    total = models.PositiveIntegerField()
    # The price of a rejoin, or the seat's share in a split.
    amount_minor = models.BigIntegerField()
    said = models.CharField(max_length=3, choices=Said, default="", blank=True)
    answered_at = models.DateTimeField(null=True, blank=True)

    objects = AnswerQuerySet.as_manager()

    class Meta:
        ordering: ClassVar[list[str]] = ["window", "seat__number"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["window", "seat"], name="tables_answer_once_per_seat"),
            models.CheckConstraint(
                condition=models.Q(amount_minor__gte=0), name="tables_answer_amount_not_negative"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.said or 'no answer yet'} of seat {self.seat_id}"

    amount = MoneyProperty("amount_minor", currency="window.table.currency")


class Result(SavedInItsTable):
    """The result of a game for one seat."""

    table = models.ForeignKey(Table, on_delete=models.PROTECT, related_name="results")
    seat = SameTableOneToOne(
        Seat, on_delete=models.PROTECT, related_name="result", db_constraint=False
    )
    place = models.PositiveSmallIntegerField()
    total = models.IntegerField()
    prize_minor = models.BigIntegerField(default=0)

    class Meta:
        ordering: ClassVar[list[str]] = ["table", "place"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                condition=models.Q(prize_minor__gte=0), name="tables_result_prize_not_negative"
            ),
        ]

    def __str__(self) -> str:
        return gettext("place %(no)s at %(table)s") % {"no": self.place, "table": self.table}

    prize = MoneyProperty("prize_minor", currency="table.currency")
