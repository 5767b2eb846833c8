"""The lobby's rows: tables that can be joined, and the viewer's own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, Final, NamedTuple

from django.contrib.auth.models import AnonymousUser
from django.db.models import Count, Exists, Min, OuterRef, Q, QuerySet
from django.utils.translation import gettext
from moneyed import Money

from core.db.statements import compiled_by_key, model_from_row
from players.accounts.models import User
from tables.games import game_of
from tables.models.seats import SeatQuerySet
from tables.models.tables import Table, TableQuerySet
from tables.models.templates import RuleProfile
from tables.play.running import held_by
from tables.ratings.near import mean_ratings
from tables.state.rules import profile_from_row, variant_of
from tables.view.context import stack_bounds
from tables.view.prizes import prize_shown
from tables.view.schemas import LobbyRow
from wallet.ledger.amounts import Amount
from wallet.ledger.money import as_money


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


class Listed(NamedTuple):
    """A table of the lobby with its row."""

    table: Table
    row: LobbyRow


def lobby_rows(
    viewer: User | AnonymousUser | None, wanted: LobbyFilter = NO_FILTER
) -> list[LobbyRow]:
    """Return the open tables that match the filter, practice first, and the viewer's live tables.

    Open are waiting tables, and points tables with a free seat in any phase.
    """
    rows = (listed.row for listed in lobby_tables(viewer))
    return [row for row in rows if row.mine or wanted.fits(row)]


def lobby_tables(viewer: User | AnonymousUser | None) -> list[Listed]:
    """Return the open tables, practice first, and the viewer's live tables."""
    key = viewer.pk if viewer else None
    return _listed(_OF_LOBBY.rows(key or NOBODY))


def private_row(code: str, viewer: User | AnonymousUser) -> LobbyRow | None:
    """Return the private table with this code, over or not; None if the code is unknown."""
    tables = Table.objects.exclude(invite_code="").filter(invite_code=code)
    found = _listed(_columns(tables, held_by(viewer.pk)))
    return found[0].row if found else None


# The key of no player, for visitors.
NOBODY: Final = 0
_TABLE: Final = [field.attname for field in Table._meta.concrete_fields]
_PROFILE: Final = [field.attname for field in RuleProfile._meta.concrete_fields]
_TABLE_ENDS: Final = len(_TABLE)
_PROFILE_ENDS: Final = _TABLE_ENDS + len(_PROFILE)


def _of_lobby(viewer: int) -> QuerySet[Table, tuple[Any, ...]]:
    held = held_by(viewer)
    mine = held.filter(table__finished_at__isnull=True).values("table")
    offered = Table.objects.joinable().filter(owner_ref="").values("pk")
    # A union of two index look-ups, so that the many finished tables are never read.
    return _columns(Table.objects.filter(pk__in=offered.union(mine)), held)


_OF_LOBBY: Final = compiled_by_key(_of_lobby)


def _columns(tables: TableQuerySet, held: SeatQuerySet) -> QuerySet[Table, tuple[Any, ...]]:
    """Return what `_listed` needs of tables: their columns, their rules', and who sits there."""
    is_present = Q(seats__left_at__isnull=True)
    counted = tables.annotate(
        mine=Exists(held.filter(table=OuterRef("pk"))),
        taken=Count("seats", filter=is_present),
        since=Min("seats__joined_at", filter=is_present),
    )
    of_profile = [f"profile__{name}" for name in _PROFILE]
    return counted.order_by("-bots_fill", "template_id", "pk").values_list(
        *_TABLE, *of_profile, "template__slug", "mine", "taken", "since"
    )


def _listed(found: Iterable[tuple[Any, ...]]) -> list[Listed]:
    rows = []
    for values in found:
        profile = profile_from_row(values[_TABLE_ENDS:_PROFILE_ENDS])
        table = model_from_row(Table, values[:_TABLE_ENDS], profile=profile)
        rows.append((table, _Seated(*values[_PROFILE_ENDS:])))
    means = mean_ratings(table for table, seated in rows if seated.taken and not table.bots_fill)
    return [Listed(table, _row(table, seated, means.get(table.pk))) for table, seated in rows]


class _Seated(NamedTuple):
    """The kind of a table, whether the viewer sits there, how many do, and since when."""

    kind: str | None
    mine: bool
    taken: int
    since: datetime | None


def _row(table: Table, seated: _Seated, rating: int | None) -> LobbyRow:
    kind, mine, taken, since = seated
    is_waiting = table.phase == Table.Phase.WAITING
    is_counting = is_waiting and taken >= table.seats_min
    prize = prize_shown(table, entries=table.starters)
    return LobbyRow(
        id=table.public_id,
        kind=kind or "",
        name=table.name,
        profile=str(table.profile),
        variant=variant_of(table.profile),
        phase=table.phase,
        seats_taken=taken,
        seats_min=table.seats_min,
        seats_max=table.seats_max,
        entry=Amount.of(table.entry_minor, table.currency),
        prize=Amount.of(prize.minor, table.currency),
        prize_is_most=prize.is_most,
        rake_bps=table.rake_bps,
        is_practice=table.bots_fill,
        bot_strength=table.bot_strength if table.bots_fill else None,
        mine=mine,
        game=game_of(table).name,
        **stack_bounds(table),
        waiting_since=since if is_waiting else None,
        starts_at=table.due_at if is_counting else None,
        rating=rating,
    )


@dataclass(frozen=True, slots=True)
class KindRow:
    """A kind of table: the table that the next player joins, and what is known of the kind."""

    row: LobbyRow
    playing: int
    """People in running games of this kind."""
    wait: timedelta | None
    """The expected time until the start for a player who sits down now; None if unknown."""

    @property
    def players(self) -> str:
        """Who sits at the table, or how many it is for: "2 of 4 waiting", "2–6 players"."""
        row = self.row
        if not row.seats_taken:
            if row.seats_min == row.seats_max:
                return gettext("%(max)s players") % {"max": row.seats_max}
            return gettext("%(min)s–%(max)s players") % {"min": row.seats_min, "max": row.seats_max}
        if row.phase == Table.Phase.WAITING:
            text = gettext("%(taken)s of %(max)s waiting")
        else:
            text = gettext("%(taken)s of %(max)s seated")
        return text % {"taken": row.seats_taken, "max": row.seats_max}

    @property
    def least(self) -> Money:
        """The lowest price of a seat: the entry, at points tables the smallest stack."""
        amount = self.row.stack_min or self.row.entry
        return as_money(amount.minor, amount.currency)

    @property
    def prize(self) -> str:
        if not self.row.prize_is_most:
            return self.row.prize.text
        return gettext("up to %(prize)s") % {"prize": self.row.prize.text}


@dataclass(frozen=True, slots=True)
class Offer:
    """What the button of each row does for a viewer."""

    is_open: bool
    """Whether the viewer may sit down."""
    text: str = ""
    """The text of the button; empty for the price of the seat."""
    address: str = ""
    """The page to which the button leads instead of the table."""
    is_off: bool = False
    """Whether that page only says why the viewer may not sit down."""


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
