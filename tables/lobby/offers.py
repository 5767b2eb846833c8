"""The lobby's rows: tables that can be joined, and the viewer's own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Final, TypedDict, cast

from django.contrib.auth.models import AnonymousUser
from django.db.models import Count, Exists, Min, OuterRef, Q, QuerySet

from players.accounts.models import User
from tables.games import game_of
from tables.models.seats import SeatQuerySet
from tables.models.tables import Table, TableQuerySet
from tables.play.running import held_by
from tables.state.rules import variant_of
from tables.view.context import stack_bounds
from tables.view.prizes import prize_shown
from tables.view.schemas import LobbyRow
from wallet.ledger.amounts import Amount
from wallet.ledger.money import as_money

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations


@dataclass(frozen=True, slots=True, kw_only=True)
class LobbyFilter:
    """A player's filters; an empty field matches everything."""

    game: str = ""
    """A name in `tables.games.GAMES`."""
    kind: str = ""
    """"practice" or "people"."""
    currency: str = ""
    entry_min: Decimal | None = None
    entry_max: Decimal | None = None
    """In whole units of the table's currency, as people enter them."""
    seats: int | None = None

    def fits(self, row: LobbyRow) -> bool:
        entry = as_money(row.entry.minor, row.entry.currency).amount
        return (
            self.game in ("", row.game)
            and self.kind in ("", "practice" if row.is_practice else "people")
            and self.currency in ("", row.entry.currency)
            and (self.entry_min is None or entry >= self.entry_min)
            and (self.entry_max is None or entry <= self.entry_max)
            and self.seats in (None, row.seats_max)
        )


NO_FILTER: Final = LobbyFilter()


def lobby_rows(
    viewer: User | AnonymousUser | None, wanted: LobbyFilter = NO_FILTER
) -> list[LobbyRow]:
    """Return the open tables that match the filter, practice first, and the viewer's live tables.

    Open are waiting tables, and points tables with a free seat in any phase.
    """
    held = held_by(viewer)
    mine = held.filter(table__finished_at__isnull=True).values("table")
    offered = Table.objects.joinable().filter(owner_ref="").values("pk")
    # A union of two index look-ups, so that the many finished tables are never read.
    rows = _rows(Table.objects.filter(pk__in=offered.union(mine)), held)
    return [row for row in rows if row.mine or wanted.fits(row)]


def private_row(code: str, viewer: User | AnonymousUser) -> LobbyRow | None:
    """Return the private table with this code, over or not; None if the code is unknown."""
    rows = _rows(Table.objects.exclude(invite_code="").filter(invite_code=code), held_by(viewer))
    return rows[0] if rows else None


def _rows(tables: TableQuerySet, held: SeatQuerySet) -> list[LobbyRow]:
    listed = (
        tables.annotate(
            mine=Exists(held.filter(table=OuterRef("pk"))),
            taken=Count("seats", filter=Q(seats__left_at__isnull=True)),
            since=Min("seats__joined_at", filter=Q(seats__left_at__isnull=True)),
        )
        .select_related("profile", "template")
        .order_by("-bots_fill", "template_id", "pk")
    )
    return [_row(table) for table in cast("QuerySet[WithAnnotations[Table, Taken]]", listed)]


class Taken(TypedDict):
    mine: bool
    taken: int
    since: datetime | None


def _row(table: WithAnnotations[Table, Taken]) -> LobbyRow:
    is_waiting = table.phase == Table.Phase.WAITING
    is_counting = is_waiting and table.taken >= table.seats_min
    prize = prize_shown(table, entries=table.starters)
    return LobbyRow(
        id=table.public_id,
        kind=table.template.slug if table.template else "",
        name=table.name,
        profile=str(table.profile),
        variant=variant_of(table.profile),
        phase=table.phase,
        seats_taken=table.taken,
        seats_min=table.seats_min,
        seats_max=table.seats_max,
        entry=Amount.of(table.entry_minor, table.currency),
        prize=Amount.of(prize.minor, table.currency),
        prize_is_most=prize.is_most,
        rake_bps=table.rake_bps,
        is_practice=table.bots_fill,
        bot_strength=table.bot_strength if table.bots_fill else None,
        mine=table.mine,
        game=game_of(table).name,
        **stack_bounds(table),
        waiting_since=table.since if is_waiting else None,
        starts_at=table.due_at if is_counting else None,
    )


@dataclass(frozen=True, slots=True)
class KindRow:
    """A kind of table: the table that the next player joins, and what is known of the kind."""

    row: LobbyRow
    playing: int
    """People in running games of this kind."""
    wait: timedelta | None
    """The expected time until the start for a player who sits down now; None if unknown."""


def kind_rows(
    rows: Iterable[LobbyRow], playing: Mapping[str, int], waits: Mapping[str, float], now: datetime
) -> list[KindRow]:
    """Return one row for each kind, with the table that has the fewest free seats.

    `playing` and `waits` are those of `activity.Activity.by_kind` and `activity.expected_waits`.
    """
    best: dict[str, LobbyRow] = {}
    for row in rows:
        kind = row.kind or str(row.id)
        if kind not in best or row.seats_free < best[kind].seats_free:
            best[kind] = row
    return [
        KindRow(row, playing.get(kind, 0), expected_wait(row, waits.get(kind), now))
        for kind, row in best.items()
    ]


def expected_wait(row: LobbyRow, usual: float | None, now: datetime) -> timedelta | None:
    """Return the expected time until the start of a table that waits for players.

    While a countdown runs it is the rest of it. Otherwise it is `usual`, the seconds from the first
    player's sitting down to the start (`activity.expected_waits`), less the time since the first of
    the waiting players sat down. None if nothing is known, or if the table waits longer already.
    """
    if row.phase != Table.Phase.WAITING or row.is_practice:
        return None
    if row.starts_at is not None:
        return max(row.starts_at - now, timedelta())
    if usual is None:
        return None
    left = timedelta(seconds=usual) - (now - (row.waiting_since or now))
    return left if left > timedelta() else None
