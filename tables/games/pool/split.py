"""Splitting a pool's prize by drops left, before the game is over (RB 7.4)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

import rummy
from tables.exceptions import NoSplit, SplitProposed
from tables.games.pool import windows
from tables.games.thirteen.cards import thirteen_rules
from tables.models.seats import Seat
from tables.models.tables import StakeMode, Table
from tables.settlement import finishing
from tables.settlement.game_record import GamePapers
from tables.settlement.models import Answer, Window
from tables.state import phases
from tables.state.deadlines import deadline, is_late
from tables.state.locks import LockedTable, snapshot_of
from tables.state.rules import rules_of
from tables.state.snapshot import TableSnapshot

# The ending of a game that was split.
ENDINGS: Final = ("split", "auto_split")
# At a table of bots only, one proposes a split after every so many deals.
BOTS_PROPOSE_EVERY: Final = 3


def offer_to(snapshot: TableSnapshot) -> rummy.pool.SplitOffer:
    """Return the shares of a split among the seats still in the game, at their current totals."""
    table = snapshot.table
    if table.stake_mode != StakeMode.CASH:
        return rummy.pool.SplitOffer(False, False, None, "no_split")
    totals, survivors = snapshot.totals(), snapshot.active()
    entries = sum(len(seat.stakes) for seat in snapshot.seats)
    return offer(table, [totals[seat.pk] for seat in survivors], entries=entries)


def offer(table: Table, totals: Sequence[int], *, entries: int) -> rummy.pool.SplitOffer:
    """Return the shares of a split at these totals, out of this number of entries."""
    return rummy.pool.split_offer(
        thirteen_rules(rules_of(table.profile)),
        totals,
        started=table.starters,
        entries=entries,
        entry=table.entry_minor,
        bps=table.rake_bps,
    )


def propose(table: LockedTable, seat: Seat, now: datetime) -> Window:
    """Ask every survivor to split, with the proposer's yes included; once per seat and pause.

    The pause is suspended meanwhile. Repeating a proposal returns the window it opened.
    """
    if table.phase in (Table.Phase.BETWEEN, Table.Phase.SPLIT):  # Else no deal is settled.
        earlier = seat.proposals.filter(deal=windows.deal_before(table)).first()
        if earlier is not None:
            if earlier.closed_at is None:
                return earlier
            raise SplitProposed("You have already proposed a split in this pause.")
    snapshot = snapshot_of(table)
    survivors = snapshot.active()
    in_gap = table.phase == Table.Phase.BETWEEN and not table.settlement_due
    if not in_gap or is_late(table, now) or seat not in survivors:
        raise NoSplit("Only players still in the game can propose a split, between deals.")
    offered = offer_to(snapshot)
    if offered.shares is None:
        raise NoSplit(f"This game cannot be split now: {offered.why}.")

    totals = snapshot.totals()
    answers = [
        Answer(seat=survivor, total=totals[survivor.pk], amount_minor=share)
        for survivor, share in zip(survivors, offered.shares, strict=True)
    ]
    for answer in answers:
        if answer.seat == seat:
            answer.said, answer.answered_at = Answer.Said.YES, now
    return windows.ask(
        table,
        Window(kind=Window.Kind.SPLIT, proposed_by=seat, gap_ms_left=_gap_ms_left(table, now)),
        answers,
        phase=Table.Phase.SPLIT,
        seconds=thirteen_rules(rules_of(table.profile)).split_seconds,
        now=now,
    )


def accepted(papers: GamePapers) -> list[Window]:
    """Return the accepted proposals of a game; the rules allow one at most."""
    of_split = (Window.Kind.SPLIT, Window.Outcome.ACCEPTED)
    return [window for window in papers.windows if (window.kind, window.outcome) == of_split]


def agreed_shares(papers: GamePapers) -> tuple[int, ...]:
    """Return the agreed shares in seat order; empty if no split was accepted."""
    return tuple(
        answer.amount_minor
        for window in accepted(papers)
        for answer in papers.answers.get(window.pk, ())
    )


def pay(table: LockedTable, window: Window, now: datetime) -> None:
    """Pay the agreed shares and end the game."""
    shares = list(window.answers.order_by("seat__number").values_list("amount_minor", flat=True))
    survivors = windows.seats_asked(window)
    windows.close(table, window, Window.Outcome.ACCEPTED, now)
    finishing.finish_pool(table, survivors, now, shares=shares, ending="split")


def play_on(table: LockedTable, window: Window, outcome: Window.Outcome, now: datetime) -> None:
    """Resume the pause after a no, a missing answer, or a departure."""
    windows.close(table, window, outcome, now)
    assert window.gap_ms_left is not None, "a split is proposed in a pause"
    table.phase = Table.Phase.BETWEEN
    phases.arm(table, window.gap_ms_left / 1000, now)
    await_proposal(table, now)


def await_proposal(table: LockedTable, now: datetime) -> None:
    """Schedule a bot to propose a split in this pause; only at a table of bots."""
    if table.phase == Table.Phase.BETWEEN and bot_to_propose(snapshot_of(table)) is not None:
        table.bot_due_at = phases.thought_over(now)


def bot_to_propose(snapshot: TableSnapshot) -> Seat | None:
    """Return the proposing bot: at tables of bots only, the first, every third deal, once."""
    if snapshot.table.deal_no % BOTS_PROPOSE_EVERY:
        return None
    survivors = snapshot.active()
    if not survivors or any(not seat.player.is_site_bot for seat in survivors):
        return None
    if snapshot.proposers:
        return None
    return survivors[0] if offer_to(snapshot).eligible else None


def _gap_ms_left(table: Table, now: datetime) -> int:
    end = deadline(table, now)
    assert end is not None, "a pause has a clock"
    return max(0, (end - now) // timedelta(milliseconds=1))
