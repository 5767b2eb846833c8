"""A pool between its deals: who is out, who is asked what, and how the game ends (RB 7)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import rummy
from tables.dealing import dealing
from tables.games import rejoin, split, windows
from tables.settlement import finishing
from tables.settlement.models import Answer, Window
from tables.table.deal_models import Deal
from tables.table.models import Table
from tables.table.profile_models import StakeMode
from tables.table.rules import rules_of
from tables.table.seat_models import BuyIn, Elimination, Score
from wallet.holdings.models import Stake
from wallet.stakes import stakes


def is_void(table: Table, deal: Deal, scores: Sequence[Score]) -> bool:
    """Say whether the deal leaves nobody, and nobody acted in it (RB 7.6)."""
    survives = any(not _is_out(table, score) for score in scores)
    return not survives and not deal.was_acted_in()


def note(table: Table, scores: Sequence[Score]) -> None:
    """A pool counts points and nothing else."""


def go_on(table: Table, deal: Deal, now: datetime) -> None:
    """Offer rejoins, then look for an end, a split that nobody need be asked, or the next deal."""
    _eliminate(table)
    if not rejoin.offer(table, deal, now):
        _play_on(table, now)


def go_on_after_void(table: Table, deal: Deal, now: datetime) -> None:
    """Deal again as if the deal had not been, or end the game if too few stayed."""
    if table.seats.active().exists():
        _play_on(table, now)
    else:
        call_off(table, deal, now)


def answered(table: Table, window: Window, now: datetime) -> None:
    """Go on as soon as a question needs no more answers; otherwise it waits for the others."""
    if window.kind == Window.Kind.REJOIN:
        if not windows.awaited(window).exists():
            _close_rejoin(table, window, now)
            return
    elif window.answers.filter(said=Answer.Said.NO).exists():
        split.play_on(table, window, Window.Outcome.REFUSED, now)
        return
    elif not windows.awaited(window).exists():
        split.pay(table, window, now)
        return
    windows.await_bots(table, window, now)


def window_over(table: Table, now: datetime) -> None:
    """Silence is a no: rejoins are over, a split is off."""
    window = windows.open_at(table)
    if window.kind == Window.Kind.REJOIN:
        _close_rejoin(table, window, now)
    else:
        split.play_on(table, window, Window.Outcome.EXPIRED, now)


def somebody_left(table: Table, now: datetime) -> None:
    """End the game when no more seats are left than it needs, or when those left split by rule.

    Seats that left between two deals are out with the totals they have (RB 7.9). While rejoins are
    asked, who leaves goes when the window closes; a split asked of him is off.
    """
    if table.phase == Table.Phase.BETWEEN:
        _end_if_decided(table, now)
        return
    window = windows.open_at(table)
    if window.kind == Window.Kind.REJOIN:
        answered(table, window, now)
    elif windows.has_lost(window):
        split.play_on(table, window, Window.Outcome.WITHDRAWN, now)
        _end_if_decided(table, now)


def end_here(table: Table, now: datetime) -> None:
    """End the game with everybody who is left, the lower total first (RB 10.4)."""
    _eliminate(table)
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


def _close_rejoin(table: Table, window: Window, now: datetime) -> None:
    windows.close(table, window, rejoin.outcome_of(window), now)
    _play_on(table, now)


def _play_on(table: Table, now: datetime) -> None:
    if not _end_if_decided(table, now):
        dealing.pause(table, now)
        split.await_proposal(table, now)


def _end_if_decided(table: Table, now: datetime) -> bool:
    """End the game if too few are left, if this was its last deal, or by an automatic split."""
    _eliminate(table)
    survivors = list(table.seats.active().select_related("player").in_seat_order())
    if len(survivors) <= table.stop_at_survivors or table.is_last_deal:
        finishing.finish_game(table, survivors, now)
        return True
    offered = split.offer_to(table, survivors)
    if offered.auto and offered.shares is not None:
        finishing.finish_game(table, survivors, now, shares=offered.shares, ending="auto_split")
        return True
    return False


def _is_out(table: Table, score: Score) -> bool:
    is_over_limit = rummy.pool.is_out(score.total_after, rules_of(table.profile))
    return score.seat.left_at is not None or is_over_limit


def _eliminate(table: Table) -> None:
    """Write down who is out since the last deal, and lose their entries once a deal has counted."""
    deal, totals = windows.deal_before(table), table.seats.totals()
    rules = rules_of(table.profile)
    out_before = Elimination.objects.standing().filter(seat__table=table).values("seat")
    dealt_in = table.seats.filter(deal_seats__deal=deal).exclude(pk__in=out_before)
    out = [
        seat
        for seat in dealt_in
        if seat.left_at is not None or rummy.pool.is_out(totals[seat.pk], rules)
    ]
    Elimination.objects.bulk_create(
        Elimination(seat=seat, deal=deal, total=totals[seat.pk]) for seat in out
    )
    if table.stake_mode == StakeMode.CASH and table.has_scored():  # A host's pot is its own.
        _lose_entries(table)


def _lose_entries(table: Table) -> None:
    """Leave to the pot what those who are out have paid, whichever deal put them out (RB 7.7)."""
    out = Elimination.objects.standing().filter(seat__table=table).values("seat")
    paid = BuyIn.objects.filter(seat__in=out, stake__status=Stake.Status.LIVE)
    for buy_in in paid.select_related("stake").order_by("stake"):
        stakes.lose_stake(stake=buy_in.stake)
