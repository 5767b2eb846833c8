"""A pool between its deals: who is out, and the end when no more are left than it needs (RB 7)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import rummy
from tables.models import BuyIn, Deal, Elimination, Score, Table
from tables.rules import rules_of
from tables.services import dealing, finishing
from wallet.services import stakes


def is_void(table: Table, deal: Deal, scores: Sequence[Score]) -> bool:
    """Say whether the deal leaves nobody, and nobody acted in it (RB 7.6)."""
    survives = any(not _is_out(table, score) for score in scores)
    return not survives and not deal.was_acted_in()


def note(table: Table, scores: Sequence[Score]) -> None:
    """A pool counts points and nothing else."""


def go_on(table: Table, deal: Deal, now: datetime) -> None:
    """End the game if it is decided, or wait for the next deal."""
    if not somebody_left(table, now):
        dealing.pause(table, now)


def somebody_left(table: Table, now: datetime) -> bool:
    """End the game when no more seats are left than it needs.

    Seats that left between two deals are out with the totals they have (RB 7.9).
    """
    deal = table.deals.get(no=table.deal_no)
    _eliminate(table, deal)
    survivors = list(table.seats.active().in_seat_order())
    if len(survivors) > table.stop_at_survivors:
        return False
    finishing.finish_game(table, survivors, now)
    return True


def end_here(table: Table, now: datetime) -> None:
    """End the game with everybody who is left, the lower total first (RB 10.4)."""
    _eliminate(table, table.deals.get(no=table.deal_no))
    finishing.finish_game(table, list(table.seats.active().in_seat_order()), now)


def start(table: Table, now: datetime) -> None:
    """Deal the first deal to everybody who has sat down."""
    dealing.start_game(table, now)


def deal_next(table: Table, now: datetime) -> None:
    """Deal to everybody who is not out."""
    dealing.deal_to_all(table, now)


def call_off(table: Table, deal: Deal, now: datetime) -> None:
    """Cancel the game in this deal; who was dealt in shares the money (RB 7.7)."""
    finishing.cancel_game(table, deal, now)


def _is_out(table: Table, score: Score) -> bool:
    is_over_limit = rummy.pool.is_out(score.total_after, rules_of(table.profile))
    return score.seat.left_at is not None or is_over_limit


def _eliminate(table: Table, deal: Deal) -> None:
    """Write down who is out, and that their entries are lost to the pot."""
    out_before = Elimination.objects.standing().filter(seat__table=table).values("seat")
    scores = deal.scores.select_related("seat").exclude(seat__in=out_before)
    out = [score for score in scores if _is_out(table, score)]
    Elimination.objects.bulk_create(
        Elimination(seat=score.seat, deal=deal, total=score.total_after) for score in out
    )
    paid = BuyIn.objects.filter(seat__in=[score.seat_id for score in out])
    for buy_in in paid.select_related("stake").order_by("stake"):
        stakes.lose_stake(stake=buy_in.stake)
