"""The database rows that determine the ranking of a game, read for one game or for many."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import prefetch_related_objects

from tables.models.deals import Deal
from tables.models.seats import BuyIn, Elimination, Score, Seat
from tables.models.tables import Table
from tables.settlement.models import Answer, Window
from tables.state.locks import LockedTable, snapshot_of
from wallet.stakes.models import Stake


@dataclass(frozen=True, slots=True)
class GameRecord:
    """The rows of a game played at one table."""

    table: Table
    # All seats that were dealt in, perhaps with others, in seat order.
    seats: Sequence[Seat]
    # In order of deal number, like `scores`.
    deals: Sequence[Deal]
    scores: Sequence[Score]
    # In order of primary key.
    eliminations: Sequence[Elimination]

    @property
    def players(self) -> list[Seat]:
        """Return the seats that were dealt into the first deal, in seat order."""
        return [seat for seat in self.seats if seat.number is not None]

    @property
    def settled(self) -> list[Deal]:
        return [deal for deal in self.deals if deal.status == Deal.Status.SETTLED]

    @property
    def last_deal(self) -> Deal:
        """Return the table's current deal."""
        [last] = [deal for deal in self.deals if deal.no == self.table.deal_no]
        return last

    def out_in(self) -> dict[int, int]:
        """Return, by primary key of an eliminated seat, the number of its last deal."""
        numbers = {deal.pk: deal.no for deal in self.deals}
        return {
            out.seat_id: numbers[out.deal_id]
            for out in self.eliminations
            if out.rejoined_at is None
        }

    def active(self) -> list[Seat]:
        """Return the seats still in the game, as `SeatQuerySet.active` does."""
        out = self.out_in()
        return [seat for seat in self.seats if seat.left_at is None and seat.pk not in out]

    def scores_of(self, deal: int) -> list[Score]:
        return [score for score in self.scores if score.deal_id == deal]

    def totals(self) -> dict[int, int]:
        """Return the running points by the seat's primary key, as `SeatQuerySet.totals` does."""
        rejoined = {
            (out.seat_id, out.deal_id): out.rejoined_total
            for out in self.eliminations
            if out.rejoined_total is not None
        }
        totals = dict.fromkeys([seat.pk for seat in self.seats], 0)
        for score in self.scores:
            totals[score.seat_id] = rejoined.get((score.seat_id, score.deal_id), score.total_after)
        return totals


@dataclass(frozen=True, slots=True)
class GamePapers:
    """The windows (questions to the players), their answers, and the payments of a game."""

    # In order of primary key.
    windows: Sequence[Window]
    # By the window's primary key; of each window in seat order.
    answers: Mapping[int, Sequence[Answer]]
    buy_ins: Sequence[BuyIn]
    stakes: Sequence[Stake]

    @property
    def counted_stakes(self) -> list[Stake]:
        """Return the entries that were not refunded before the game."""
        return [stake for stake in self.stakes if stake.status != Stake.Status.REFUNDED]


def record_of(table: Table) -> GameRecord:
    """Return the record of one game, with the players of its seats prefetched."""
    record = records_of([table])[table.pk]
    prefetch_related_objects(record.seats, "player")
    return record


def record_so_far(table: LockedTable) -> GameRecord:
    """Return the record of a locked game between two deals, from its snapshot."""
    snapshot = snapshot_of(table)
    assert snapshot.has_scores, "no one is scored while cards are played"
    return GameRecord(table, snapshot.seats, snapshot.deals, snapshot.scores, snapshot.eliminations)


def records_of(tables: Sequence[Table]) -> dict[int, GameRecord]:
    """Return the records of many games by table; one query per model."""
    of_them = {"table__in": [table.pk for table in tables]}
    seats = _by_table(Seat.objects.filter(**of_them).in_seat_order())
    deals = _by_table(Deal.objects.filter(**of_them).order_by("no"))
    scores = _by_table(Score.objects.filter(**of_them).order_by("deal__no"))
    outs = _by_table(Elimination.objects.filter(**of_them).order_by("pk"))
    return {
        table.pk: GameRecord(
            table, seats[table.pk], deals[table.pk], scores[table.pk], outs[table.pk]
        )
        for table in tables
    }


def papers_of(tables: Sequence[Table]) -> dict[int, GamePapers]:
    """Return the windows and payments of many games by table; one query per model."""
    of_them = {"table__in": [table.pk for table in tables]}
    windows = _by_table(Window.objects.filter(**of_them).order_by("pk"))
    answers: dict[int, dict[int, list[Answer]]] = defaultdict(lambda: defaultdict(list))
    for answer in Answer.objects.filter(**of_them).order_by("seat__number"):
        answers[answer.table_id][answer.window_id].append(answer)
    buy_ins = _by_table(BuyIn.objects.filter(**of_them).order_by("pk"))
    escrows = [table.escrow_account_id for table in tables if table.escrow_account_id]
    stakes: dict[int | None, list[Stake]] = defaultdict(list)
    for stake in Stake.objects.filter(escrow__in=escrows).order_by("pk"):
        stakes[stake.escrow_id].append(stake)
    return {
        table.pk: GamePapers(
            windows[table.pk],
            answers[table.pk],
            buy_ins[table.pk],
            stakes[table.escrow_account_id],
        )
        for table in tables
    }


def _by_table(rows: Iterable[Any]) -> dict[int, list[Any]]:
    by_table: dict[int, list[Any]] = defaultdict(list)
    for row in rows:
        by_table[row.table_id].append(row)
    return by_table
