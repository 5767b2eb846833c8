"""Scoring a deal that is played, and what follows: the next deal, or the end and the payout."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

import rummy
from tables.exceptions import DealNotEnded
from tables.models import BuyIn, Deal, Elimination, Move, Score, Seat, Table
from tables.rules import family_of, rules_of
from tables.services import dealing, finishing, phases
from tables.services.announcing import publish
from tables.state import fold_of
from wallet.services import stakes


@transaction.atomic(durable=True)
def settle_deal(*, deal_id: int) -> Deal:
    """Score an ended deal, eliminate who is out, then deal on or pay the pool.

    Workers may do so twice at once or again after a crash; the first to commit has done it.
    """
    table = Table.objects.locked().get(deals=deal_id)
    deal = table.deals.get(pk=deal_id)
    if deal.status in (Deal.Status.SETTLED, Deal.Status.VOID):
        return deal
    if deal.status != Deal.Status.ENDED:
        raise DealNotEnded(f"{deal} is {deal.status}; its cards are still played.")
    now = timezone.now()

    outcome = family_of(table.profile).outcome(fold_of(deal).state)
    scores = _scores(table, deal, outcome)
    if not _survivors(table, scores) and not _anybody_acted(deal):  # RB 7.6
        finishing.cancel_game(table, deal, now)
    else:
        Score.objects.bulk_create(scores)
        deal.status, deal.ending, deal.settled_at = Deal.Status.SETTLED, outcome.ending, now
        deal.save(update_fields=["status", "ending", "settled_at"])
        table.version += 1
        if not close_if_decided(table, now):
            _go_on(table, now)
    publish(table)
    return deal


def close_if_decided(table: Table, now: datetime) -> bool:
    """End the game when no more seats are left than it needs; the caller holds the lock.

    Seats that left between two deals are out with the totals they have (RB 7.9).
    """
    deal = table.deals.get(no=table.deal_no)
    _eliminate(table, deal)
    survivors = list(table.seats.active().in_seat_order())
    if len(survivors) > table.stop_at_survivors:
        return False
    finishing.finish_game(table, survivors, now)
    return True


def _scores(table: Table, deal: Deal, outcome: Any) -> list[Score]:
    places = deal.deal_seats.select_related("seat").order_by("position")
    before = table.seats.totals()
    scores = []
    for place, result in zip(places, outcome.results, strict=True):
        score = Score(
            deal=deal,
            seat=place.seat,
            points=result.points,
            total_after=before[place.seat_id] + result.points,
            how=result.how,
        )
        # Who won because the others dropped has shown his cards to nobody.
        if result.arrangement is not None and outcome.ending != "last_standing":
            score.arrangement = result.arrangement.to_text()
        scores.append(score)
    return scores


def _survivors(table: Table, scores: Sequence[Score]) -> list[Seat]:
    return [score.seat for score in scores if not _is_out(table, score)]


def _is_out(table: Table, score: Score) -> bool:
    is_over_limit = rummy.pool.is_out(score.total_after, rules_of(table.profile))
    return score.seat.left_at is not None or is_over_limit


def _anybody_acted(deal: Deal) -> bool:
    """Say whether somebody played in this deal; walking out is not playing (RB 7.6)."""
    made = deal.moves.exclude(origin=Move.Origin.CLOCK).values_list("text", flat=True)
    return any(not text.endswith(" leave") for text in made)


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


def _go_on(table: Table, now: datetime) -> None:
    """Commit to the next deal, and wait for the gap between the two (RB 5.10, 12.1).

    Rejoin and split stand between here and the next deal in the machine; no window opens yet.
    """
    dealing.commit_deal(table)
    gap_seconds = rules_of(table.profile).gap_seconds
    if gap_seconds == 0:
        dealing.deal_next(table, now)
        return
    table.phase, table.window_id, table.bot_due_at = Table.Phase.BETWEEN, None, None
    phases.arm(table, gap_seconds, now)
