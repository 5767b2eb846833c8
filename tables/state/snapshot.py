"""A table with everything that a move or a push needs, read in one statement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, NamedTuple, TypeVar
from uuid import UUID

from core.clock import NOW_SQL
from core.db.statements import Statement, columns, model_from_row
from tables.models.deals import Deal
from tables.models.profiles import RuleProfile
from tables.models.tables import Table
from tables.state.deadlines import SWEEP, Gaps, overlap, with_present
from tables.state.rules import profile_from_row

# How many of a deal's latest moves to read. A process with a cached state at one of these moves
# applies only the later ones.
LATEST_MOVES: Final = 8


class Sitter(NamedTuple):
    """The player on a seat."""

    handle: str
    is_bot: bool
    avatar: str


class SeatRow(NamedTuple):
    """A seat with the names of `Seat`; its times, except `said_at`, are True if set, else None."""

    pk: int
    number: int | None
    player_id: int
    left_at: bool | None
    sits_out_since: bool | None
    deals_missed: int
    is_absent: bool
    is_out: bool
    entries: int
    said: str
    said_at: datetime | None
    player: Sitter


class Place(NamedTuple):
    """The position of a seat in the current deal or the one before."""

    deal_id: int
    position: int
    seat_id: int
    groups: str


@dataclass(frozen=True, slots=True)
class TableSnapshot:
    """A table at one moment; `deal` is number `Table.deal_no`, None before the first."""

    table: Table
    deal: Deal | None
    seats: Sequence[SeatRow]
    places: Sequence[Place]
    # The deal's latest moves, oldest first: key, ply and text.
    latest: Sequence[tuple[int, int, str]]
    # The key of the requesting seat's earlier move with the requested id.
    earlier_pk: int | None
    last_beat: datetime | None
    outages: Gaps
    # The database's time when read; for a locked snapshot, after any wait for the lock.
    now: datetime

    def deadline(self, now: datetime) -> datetime | None:
        """Return the same time as `tables.state.deadlines.deadline`."""
        due_at, armed_at = self.table.due_at, self.table.armed_at
        if due_at is None or armed_at is None:
            return None
        gaps = with_present(self.outages, self.last_beat, now)
        return due_at + overlap(gaps, armed_at, now)

    def places_in(self, deal: Deal) -> Sequence[Place]:
        """Return the seats dealt into a deal, the leader first."""
        return [place for place in self.places if place.deal_id == deal.pk]


Kind = TypeVar("Kind", bound=TableSnapshot)

# Parameters: a seat, its player and a move's id, for `earlier_pk`; then the table's key, which each
# part names as `$4`: over distributed tables it selects the node (docs/adr/0009).
SNAPSHOT: Final = Statement(
    f"""
    SELECT {columns("t", Table)}, {columns("r", RuleProfile)}, {columns("d", Deal)},
    json_build_array((SELECT json_agg(json_build_array(
        s.id, s.number, s.player_id, NULLIF(s.left_at IS NOT NULL, false),
        NULLIF(s.sits_out_since IS NOT NULL, false), s.deals_missed, s.is_absent,
        EXISTS (SELECT FROM tables_elimination e
          WHERE e.table_id = $4 AND e.seat_id = s.id AND e.rejoined_at IS NULL),
        (SELECT count(*) FROM tables_buyin b WHERE b.table_id = $4 AND b.seat_id = s.id),
        s.said, s.said_at, json_build_array(u.handle, u.is_bot, u.avatar)
      ) ORDER BY s.number, s.id)
      FROM tables_seat s JOIN players_playername u ON u.player_id = s.player_id
      WHERE s.table_id = $4 AND CASE WHEN t.point_value_minor = 0 THEN s.number IS NOT NULL
        ELSE s.left_at IS NULL OR EXISTS (
          SELECT FROM tables_dealseat p JOIN tables_deal x ON x.table_id = $4 AND x.id = p.deal_id
          WHERE p.table_id = $4 AND p.seat_id = s.id AND x.no >= t.deal_no - 1) END),
    (SELECT json_agg(json_build_array(p.deal_id, p.position, p.seat_id, p.groups)
        ORDER BY p.position)
      FROM tables_deal x JOIN tables_dealseat p ON p.table_id = $4 AND p.deal_id = x.id
      WHERE x.table_id = $4 AND x.no BETWEEN t.deal_no - 1 AND t.deal_no),
    (SELECT json_agg(json_build_array(m.id, m.ply, m.text) ORDER BY m.ply)
      FROM (SELECT id, ply, text FROM tables_move WHERE table_id = $4 AND deal_id = d.id
          AND dealt_on = (d.started_at AT TIME ZONE 'UTC')::date
        ORDER BY ply DESC LIMIT {LATEST_MOVES}) m)),
    (SELECT id FROM tables_move WHERE table_id = $4 AND seat_id = COALESCE(%s::bigint,
        (SELECT id FROM tables_seat
          WHERE table_id = $4 AND player_id = %s::bigint AND left_at IS NULL)) AND move_id = %s),
    (SELECT beat_at FROM tables_heartbeat WHERE name = '{SWEEP}'),
    (SELECT array_agg(ARRAY[o.started_at, o.ended_at])
      FROM tables_outage o WHERE o.ended_at > t.armed_at),
    {NOW_SQL}
    FROM tables_table t
    JOIN tables_ruleprofile r ON r.id = t.profile_id
    LEFT JOIN tables_deal d ON d.table_id = $4 AND d.no = t.deal_no
    WHERE t.id = %s
    """  # noqa: S608  Names of our own columns.
)

_TABLE_ENDS: Final = len(Table._meta.concrete_fields)
_RULES_END: Final = _TABLE_ENDS + len(RuleProfile._meta.concrete_fields)
_DEAL_ENDS: Final = _RULES_END + len(Deal._meta.concrete_fields)


def read_snapshot(table_id: int) -> TableSnapshot:
    """Return a table's snapshot. Raise `Table.DoesNotExist` if there is none."""
    found = SNAPSHOT.rows(*of_table(table_id))
    if not found:
        raise Table.DoesNotExist("no such table")
    return snapshot_from_row(TableSnapshot, found[0])


def of_table(
    table_id: int,
    *,
    seat_id: int | None = None,
    player_id: int | None = None,
    move_id: UUID | None = None,
) -> tuple[object, ...]:
    """Return the parameters of `SNAPSHOT`, with the move this seat made under this id."""
    return (seat_id, player_id, move_id, table_id)


def snapshot_from_row(kind: type[Kind], row: tuple[Any, ...]) -> Kind:
    """Return a snapshot of class `kind` from a row of `SNAPSHOT`."""
    profile = profile_from_row(row[_TABLE_ENDS:_RULES_END])
    table = model_from_row(Table, row[:_TABLE_ENDS], profile=profile)
    deal = None
    if row[_RULES_END] is not None:
        deal = model_from_row(Deal, row[_RULES_END:_DEAL_ENDS], table=table)
    (seats, places, latest), earlier_pk, last_beat, outages, now = row[_DEAL_ENDS:]
    return kind(
        table=table,
        deal=deal,
        seats=[_seat_from_json(seat) for seat in seats or ()],
        places=[Place(*place) for place in places or ()],
        latest=[(pk, ply, text) for pk, ply, text in latest or ()],
        earlier_pk=earlier_pk,
        last_beat=last_beat,
        outages=[(start, end) for start, end in outages or ()],
        now=now,
    )


def _seat_from_json(values: list[Any]) -> SeatRow:
    *before, said_at, player = values
    at = None if said_at is None else datetime.fromisoformat(said_at)
    return SeatRow(*(*before, at, Sitter(*player)))
