"""Live tables for staff: phase, who is on turn, and how late the clock is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from cryptography.fernet import InvalidToken
from django.db.models import Count, F

from rummy import RummyError
from tables.exceptions import TableError
from tables.games import game_of
from tables.integrity.moderation.table_figures import STUCK_AFTER
from tables.models.deals import Deal, DealSeat
from tables.models.seats import Seat
from tables.models.tables import Table
from tables.settlement.models import Answer
from tables.state.deadlines import Gaps, outages_between, overlap
from tables.state.fold import fold_of
from tables.state.rules import family_of
from wallet.ledger.money import PLAY_POINTS, as_money, as_text

CARDS_ON_TABLE: Final = (Table.Phase.PLAYING, Table.Phase.SHOWING)
# Shown instead of a name if the deal itself cannot be read, which staff must know.
UNREADABLE: Final = "?"


@dataclass(frozen=True, slots=True)
class LiveTable:
    """One table that is not over."""

    table: Table
    # The key of the current or latest deal.
    deal: int | None
    seated: int
    # Handles of the player on turn, or of players who still owe an answer.
    awaited: list[str]
    # How long the clock is overdue, after extra time and outages; None while it runs.
    late: timedelta | None

    @property
    def is_stuck(self) -> bool:
        return self.late is not None and self.late > STUCK_AFTER

    @property
    def holds_cash(self) -> bool:
        return self.table.currency != PLAY_POINTS

    @property
    def price(self) -> str:
        """The entry, or the value of a point at a points table."""
        minor = game_of(self.table).price_minor(self.table)
        return as_text(as_money(minor, self.table.currency))


def live_tables(tables: Sequence[Table], now: datetime) -> list[LiveTable]:
    """Return these tables' state; profiles must be loaded. Uncached folds cost a few queries."""
    pks = [table.pk for table in tables]
    seated = dict(
        Seat.objects.present()
        .filter(table__in=pks)
        .order_by()
        .values_list("table")
        .annotate(Count("pk"))
    )
    on_table = Deal.objects.filter(table__in=pks, no=F("table__deal_no"))
    deals = dict(on_table.values_list("table", "pk"))
    playing = _on_turn(tables)
    asked = _asked(pks)
    armed = [table.armed_at for table in tables if table.armed_at]
    gaps = outages_between(min(armed), now) if armed else ()
    return [
        LiveTable(
            table,
            deals.get(table.pk),
            seated.get(table.pk, 0),
            turn.awaited if turn else asked.get(table.pk, []),
            _late(table, gaps, turn.extra if turn else timedelta(), now),
        )
        for table in tables
        for turn in [playing.get(table.pk)]
    ]


def _late(table: Table, gaps: Gaps, extra: timedelta, now: datetime) -> timedelta | None:
    if table.due_at is None or table.armed_at is None:
        return None
    late = now - table.due_at - overlap(gaps, table.armed_at, now) - extra
    return late if late > timedelta() else None


def _asked(pks: Sequence[int]) -> dict[int, list[str]]:
    """Return the handles of players who owe an answer, by table."""
    silent = Answer.objects.filter(
        window__table__in=pks, window__closed_at__isnull=True, said=""
    ).order_by("seat__number")
    found: dict[int, list[str]] = {}
    for table, handle in silent.values_list("window__table", "seat__player__handle"):
        found.setdefault(table, []).append(handle)
    return found


@dataclass(frozen=True, slots=True)
class _Turn:
    """The players who must act, and the extra time left of the player on turn (RB 5.8)."""

    awaited: list[str]
    extra: timedelta


def _on_turn(tables: Sequence[Table]) -> dict[int, _Turn]:
    """Return the players that the deals of these tables wait for, by table."""
    playing = {table.pk: table for table in tables if table.phase in CARDS_ON_TABLE}
    deals = Deal.objects.filter(table__in=playing, no=F("table__deal_no")).select_related("secret")
    sitting: dict[int, dict[int, str]] = {}
    places = DealSeat.objects.filter(deal__in=deals.values("pk"))
    for dealt, position, handle in places.values_list("deal", "position", "seat__player__handle"):
        sitting.setdefault(dealt, {})[position] = handle
    found = {}
    for deal in deals:
        deal.table = playing[deal.table_id]
        found[deal.table_id] = _turn(deal, sitting[deal.pk])
    return found


def _turn(deal: Deal, handles: dict[int, str]) -> _Turn:
    family = family_of(deal.table.profile)
    try:
        state = fold_of(deal).state
    except (RummyError, TableError, InvalidToken):
        return _Turn([UNREADABLE], timedelta())
    status = family.status(state)
    if status.phase != "playing":
        return _Turn([handles[position] for position in sorted(status.waiting)], timedelta())
    left = timedelta(milliseconds=family.extra_ms_left(state, status.on_turn))
    return _Turn([handles[status.on_turn]], left)
