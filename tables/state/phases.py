"""Change the phase of a locked table; the caller publishes the change."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from django.conf import settings

import rummy
from tables.models.deals import Deal
from tables.models.tables import Table
from tables.state.locks import LockedTable, snapshot_of
from tables.state.rules import family_of, rules_of
from tables.state.snapshot import Place, TableSnapshot

# How long a worker may take to score a deal before the sweep enqueues the task again.
SETTLE_PATIENCE_SECONDS: Final = 5

# The first deal of a first game shows no clock; a player who never returns still times out.
UNTIMED_SECONDS: Final = 15 * 60


def arm(table: LockedTable, seconds: float, now: datetime) -> None:
    table.armed_at, table.due_at = now, now + timedelta(seconds=seconds)


def await_step(table: LockedTable, now: datetime) -> None:
    """Leave the next step between two deals, or after a ruling, to a settlement worker.

    Only that worker eliminates players and pays prizes; the rows say which step is due. The sweep
    enqueues the task again until a worker has done the step.
    """
    table.settlement_due, table.bot_due_at = True, None
    arm(table, SETTLE_PATIENCE_SECONDS, now)


def disarm(table: LockedTable) -> None:
    """Stop the clock, unless it makes up for a lost message about the step that is due."""
    if not table.settlement_due:
        table.armed_at = table.due_at = None


def begin_turn(table: LockedTable, deal: Deal, state: rummy.AnyDeal, now: datetime) -> None:
    table.phase = Table.Phase.PLAYING
    _arm_turn(table, deal, family_of(table.profile).status(state).on_turn, now)
    await_bots(table, deal, state, now)


def follow(
    table: LockedTable, deal: Deal, *, before: rummy.AnyDeal, after: rummy.AnyDeal, now: datetime
) -> None:
    """Set the table's phase, clock and window to match a deal that has just changed."""
    family = family_of(table.profile)
    was, status = family.status(before), family.status(after)
    if status.phase == "ended":
        await_settlement(table, deal, now)
        return
    if table.phase == Table.Phase.TOSS:  # A player left; no one is on turn yet.
        return
    if status.phase == "showing":
        if was.phase != "showing":
            table.phase, table.window_id = Table.Phase.SHOWING, deal.meld_window
            arm(table, _seconds(table, deal, family.window_seconds(after)), now)
    elif status.to_act != was.to_act:
        _arm_turn(table, deal, status.on_turn, now)
    await_bots(table, deal, after, now)


def is_absent(table: LockedTable, deal: Deal, position: int) -> bool:
    """Return whether the position's player is absent; only hosted tables skip them (RB 10.4)."""
    if not table.owner_ref:
        return False
    snapshot = snapshot_of(table)
    return any(
        snapshot.seat(place.seat_id).is_absent
        for place in snapshot.places_in(deal)
        if place.position == position
    )


def await_settlement(table: LockedTable, deal: Deal, now: datetime) -> None:
    table.phase, table.window_id, table.bot_due_at = Table.Phase.SETTLING, None, None
    arm(table, SETTLE_PATIENCE_SECONDS, now)
    deal.status, deal.ended_at = Deal.Status.ENDED, now
    deal.save(update_fields=["status", "ended_at"])


def _arm_turn(table: LockedTable, deal: Deal, position: int, now: datetime) -> None:
    seconds = _seconds(table, deal, rules_of(table.profile).turn_seconds)
    arm(table, 0 if is_absent(table, deal, position) else seconds, now)


def toss_seconds(table: Table) -> int:
    """Return how long to show the toss; 0 in a first game."""
    return 0 if table.is_lesson else rules_of(table.profile).toss_seconds


def is_untimed(table: Table, deal: Deal) -> bool:
    """Return whether turns have no time limit: in the first deal of a first game."""
    return table.is_lesson and deal.no == 1


def _seconds(table: Table, deal: Deal, seconds: int) -> int:
    return UNTIMED_SECONDS if is_untimed(table, deal) else seconds


def await_bots(table: LockedTable, deal: Deal, state: rummy.AnyDeal, now: datetime) -> None:
    """Schedule the bots' thinking time if one of them must act."""
    owed = awaited_bots(snapshot_of(table), deal, state)
    table.bot_due_at = thought_over(now) if owed else None


def awaited_bots(snapshot: TableSnapshot, deal: Deal, state: rummy.AnyDeal) -> list[Place]:
    """Return the places that must act and are played by the site's bots."""
    must_act = awaited(snapshot.table, state)
    return [
        place
        for place in snapshot.places_in(deal)
        if place.position in must_act and snapshot.seat(place.seat_id).player.is_site_bot
    ]


def awaited(table: Table, state: rummy.AnyDeal) -> frozenset[int]:
    """Return the positions that must act: the seat on turn, or all that must group their cards."""
    status = family_of(table.profile).status(state)
    if status.phase == "playing":
        return frozenset({status.on_turn})
    return frozenset(status.waiting)


def thought_over(now: datetime) -> datetime:
    return now + timedelta(seconds=settings.BOT_THINK_SECONDS)
