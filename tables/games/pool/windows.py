"""The rows of windows between two deals (RB 7.3, 7.4)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from tables.models.deals import Deal
from tables.models.seats import Seat
from tables.models.tables import Table
from tables.settlement.models import Answer, Window
from tables.state import phases
from tables.state.locks import LockedTable, snapshot_of


def ask(
    table: LockedTable,
    window: Window,
    answers: Sequence[Answer],
    *,
    phase: Table.Phase,
    seconds: int,
    now: datetime,
) -> Window:
    """Ask these seats, for this many seconds; the terms are stored in their answers' rows."""
    window.table, window.deal, window.opened_at = table, deal_before(table), now
    window.save()
    for answer in answers:
        answer.table, answer.window = table, window
    Answer.objects.bulk_create(answers)
    table.phase, table.window_id = phase, window.public_id
    table.version += 1
    phases.arm(table, seconds, now)
    await_bots(table, window, now)
    return window


def deal_before(table: LockedTable) -> Deal:
    """Return the settled deal before the table's current pause."""
    deal = snapshot_of(table).deal
    assert deal is not None, "a pause follows a deal"
    return deal


def open_at(table: Table) -> Window:
    return Window.objects.open().get(table=table)


def has_lost(window: Window) -> bool:
    """Return whether a seat that was asked has left the table."""
    return window.answers.filter(seat__left_at__isnull=False).exists()


def await_bots(table: LockedTable, window: Window, now: datetime) -> None:
    """Schedule the bots while one of them owes an answer."""
    awaited = window.answers.awaited().select_related("seat").prefetch_related("seat__player")
    owes = any(answer.seat.player.is_site_bot for answer in awaited)
    table.bot_due_at = phases.thought_over(now) if owes else None


def close(table: LockedTable, window: Window, outcome: Window.Outcome, now: datetime) -> None:
    """Close the window; the caller takes the next step."""
    window.outcome, window.closed_at = outcome, now
    window.save(update_fields=["outcome", "closed_at"])
    table.window_id = table.bot_due_at = None
    table.version += 1


def seats_asked(window: Window) -> list[Seat]:
    asked = (
        window.answers.select_related("seat")
        .prefetch_related("seat__player")
        .order_by("seat__number")
    )
    return [answer.seat for answer in asked]
