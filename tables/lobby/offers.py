"""The lobby's rows: tables that can be joined, and the viewer's own."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Final, TypedDict, cast

from django.contrib.auth.models import AnonymousUser
from django.db.models import Count, Exists, OuterRef, Q, QuerySet

import rummy
from players.accounts.models import User
from tables.games import game_of
from tables.models.seats import SeatQuerySet
from tables.models.tables import Table, TableQuerySet
from tables.play.running import held_by
from tables.state.rules import variant_of
from tables.view.context import stack_bounds
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
        )
        .select_related("profile")
        .order_by("-bots_fill", "template_id", "pk")
    )
    return [_row(table) for table in cast("QuerySet[WithAnnotations[Table, Taken]]", listed)]


class Taken(TypedDict):
    mine: bool
    taken: int


def _row(table: WithAnnotations[Table, Taken]) -> LobbyRow:
    net = table.entry_minor - rummy.pool.rake(table.entry_minor, table.rake_bps)
    # A waiting table shows the prize of a full one.
    entries = table.starters or table.seats_max
    return LobbyRow(
        id=table.public_id,
        name=table.name,
        profile=str(table.profile),
        variant=variant_of(table.profile),
        phase=table.phase,
        seats_taken=table.taken,
        seats_max=table.seats_max,
        entry=Amount.of(table.entry_minor, table.currency),
        prize=Amount.of(entries * net, table.currency),
        rake_bps=table.rake_bps,
        is_practice=table.bots_fill,
        bot_strength=table.bot_strength if table.bots_fill else None,
        mine=table.mine,
        game=game_of(table).name,
        **stack_bounds(table),
    )
