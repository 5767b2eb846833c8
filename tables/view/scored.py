"""Scores and final places as views show them, and the offer of a rematch."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Final

from tables.models.deals import Deal
from tables.models.seats import Score, Seat
from tables.models.tables import Table
from tables.settlement.models import Result
from tables.view.context import ViewContext
from tables.view.schemas import DealPoints, LastDeal, Rematch, ResultRow, ScoreRow
from wallet.ledger.amounts import Amount

# A rematch needs this many people.
LEAST_PEOPLE: Final = 2


def last_deal(context: ViewContext) -> LastDeal | None:
    """Return the scores of the last settled deal."""
    if not context.scores:
        return None
    seats = {seat.pk: seat for seat in context.seats}
    return scored_deal(context.scores[-1].deal, context.scores, seats, context.table.currency)


def scored_deal(
    deal: Deal,
    scores: Iterable[Score],
    seats: Mapping[int, Seat],
    currency: str,
) -> LastDeal:
    """Return a settled deal's scores by seat number; `scores` may include other deals."""
    rows = [
        ScoreRow(
            seat=seats[score.seat_id].number or 0,
            handle=seats[score.seat_id].player.handle,
            points=score.points,
            how=score.how,
            total=score.total_after,
            arrangement=score.arrangement,
            chips=score.chips_after,
            won=Amount.maybe(score.won_minor, currency),
        )
        for score in scores
        if score.deal_id == deal.pk
    ]
    return LastDeal(deal.no, deal.ending, sorted(rows, key=lambda row: row.seat))


def points_by_deal(context: ViewContext) -> list[DealPoints]:
    """Return the points of each settled deal by current seat number."""
    numbers = {seat.pk: seat.number for seat in context.seats}
    points: dict[int, dict[str, int]] = defaultdict(dict)
    rejoined: dict[int, dict[str, int]] = defaultdict(dict)
    for score in context.scores if context.game.has_end else ():
        number = str(numbers[score.seat_id])
        points[score.deal.no][number] = score.points
        if score.bought_in_at is not None:
            rejoined[score.deal.no][number] = score.bought_in_at
    return [DealPoints(no, row, rejoined[no]) for no, row in points.items()]


def results(context: ViewContext) -> list[ResultRow] | None:
    """Return the final places, or None during the game."""
    finished = [seat for seat in context.seats if context.is_over and hasattr(seat, "result")]
    rows = [
        result_row(seat.result, seat, context.chips.get(seat.pk), context.table.currency)
        for seat in finished
    ]
    return sorted(rows, key=lambda row: row.place) or None


def result_row(result: Result, seat: Seat, chips: int | None, currency: str) -> ResultRow:
    """Return a seat's final place and prize."""
    return ResultRow(
        seat=seat.number or 0,
        handle=seat.player.handle,
        place=result.place,
        total=result.total,
        prize=Amount.of(result.prize_minor, currency),
        chips=chips,
    )


def rematch(context: ViewContext, mine: Seat | None) -> Rematch | None:
    """Return the rematch of a finished game for its players, or None if there is none."""
    if mine is None or context.phase != Table.Phase.FINISHED or not may_play_again(context.table):
        return None
    there = [seat for seat in context.seats if seat.left_at is None and not seat.player.is_bot]
    if len(there) < LEAST_PEOPLE:
        return None
    again = Table.objects.waiting().filter(rematch_of=context.table.pk).first()
    if again is None:
        return Rematch(None, [])
    joined = again.seats.present().order_by("pk").values_list("player__handle", flat=True)
    return Rematch(again.public_id, list(joined))


def may_play_again(table: Table) -> bool:
    """Return whether players may open tables of this kind themselves."""
    return table.template_id is not None and not table.owner_ref
