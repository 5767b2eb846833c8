"""A table with everything that its steps, moves and views need, read in one statement."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, NamedTuple
from uuid import UUID

from core.clock import NOW_SQL
from core.db.statements import Row, Statement, columns, model_from_row
from players.accounts.models import User
from tables.history.fairness.models import Reveal
from tables.models.deals import Deal
from tables.models.seats import Elimination, Score, Seat
from tables.models.tables import OPEN_ENDED_SQL, Table
from tables.models.templates import RuleProfile
from tables.settlement.models import Answer, Result, Window
from tables.state.deadlines import SWEEP, Gaps, overlap, with_present
from tables.state.rules import profile_from_row

# How many of a deal's latest moves to read. A process with a cached state at one of these moves
# applies only the later ones.
LATEST_MOVES: Final = 8


class Place(NamedTuple):
    """The position of a seat in the current deal or the one before."""

    deal_id: int
    position: int
    seat_id: int
    groups: str = ""


class Given(NamedTuple):
    """A seat's client seed for the coming deal; its text is empty until revealed."""

    text: str
    commitment: str


@dataclass(slots=True)
class TableSnapshot:
    """A table at one moment; steps under the table's lock apply their changes to it, too.

    Rows read by it have the listed columns only; Django reads others on their first use.
    """

    table: Table
    # The database's time when read; for a locked table, after any wait for the lock.
    now: datetime
    # Number `Table.deal_no`, None before the first.
    deal: Deal | None = None
    # The deal that is committed to but not dealt; None while cards are played.
    coming: Deal | None = None
    # The client seeds given for it, by the seat's key, in the order in which players sat down.
    client_seeds: dict[int, Given] = field(default_factory=dict)
    # In seat order: those seated until the toss, afterwards all of the game; at points tables those
    # present and those dealt into the last two deals.
    seats: list[Seat] = field(default_factory=list)
    # The seats dealt into the last two deals, in turn order.
    places: list[Place] = field(default_factory=list)
    # The deal's latest moves, oldest first: key, ply and text.
    latest: Sequence[tuple[int, int, str]] = ()
    eliminations: list[Elimination] = field(default_factory=list)
    # Whether these are known: the deals so far with their scores, at points tables the last two.
    # They are not read while cards are played, when scores do not change.
    has_scores: bool = True
    deals: list[Deal] = field(default_factory=list)
    scores: list[Score] = field(default_factory=list)
    # At points tables: the total of each of these seats after its latest deal, however long ago.
    latest_totals: dict[int, int] = field(default_factory=dict)
    # The open window's answers in seat order, and the seats that proposed a split in this pause.
    answers: list[Answer] = field(default_factory=list)
    proposers: set[int] = field(default_factory=set)
    # The key of the requesting seat's earlier move with the requested id.
    earlier_pk: int | None = None
    last_beat: datetime | None = None
    outages: Gaps = ()

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

    def seats_in(self, deal: Deal) -> list[Seat]:
        """Return the seats dealt into one of the last two deals, the leader first."""
        return [self.seat(place.seat_id) for place in self.places_in(deal)]

    def seat(self, seat_id: int) -> Seat:
        """Return a seat by its key. Raise `Seat.DoesNotExist` if it is not in `seats`."""
        for seat in self.seats:
            if seat.pk == seat_id:
                return seat
        raise Seat.DoesNotExist("no such seat")

    def add_seat(self, seat: Seat) -> None:
        """Add a seat that was just taken and has paid nothing yet."""
        seat.is_out, seat.stakes = False, []
        self.seats.append(seat)
        self.sort_seats()

    def sort_seats(self) -> None:
        """Sort the seats by their numbers, those without one last."""
        self.seats.sort(key=lambda seat: (seat.number is None, seat.number, seat.pk))

    def present_seat(self, seat_id: int) -> Seat | None:
        """Return a seat by its key, or None if its player has left."""
        return next((seat for seat in self.present() if seat.pk == seat_id), None)

    def present(self) -> list[Seat]:
        return [seat for seat in self.seats if seat.left_at is None]

    def active(self) -> list[Seat]:
        """Return the seats that are still in the game, as `SeatQuerySet.active` does."""
        return [seat for seat in self.seats if seat.left_at is None and not seat.is_out]

    def undo_elimination(self, seat: Seat, total: int, now: datetime) -> None:
        """Let a seat continue with this total after a rejoin (RB 7.3)."""
        seat.is_out = False
        for out in self.eliminations:
            if out.seat_id == seat.pk and out.rejoined_at is None:
                out.rejoined_at, out.rejoined_total = now, total
                for score in self.scores:
                    if (score.seat_id, score.deal_id) == (out.seat_id, out.deal_id):
                        score.bought_in_at = total

    def totals(self) -> dict[int, int]:
        """Return each seat's running points by its key, as `SeatQuerySet.totals` does."""
        assert self.has_scores, "no one is scored while cards are played"
        totals = dict.fromkeys([seat.pk for seat in self.seats], 0) | self.latest_totals
        for score in self.scores:
            at = score.bought_in_at
            totals[score.seat_id] = score.total_after if at is None else at
        return totals


# Phases in which cards are played.
IN_PLAY: Final = (Table.Phase.PLAYING, Table.Phase.SHOWING)

_NOT_IN_PLAY: Final = "t.phase NOT IN ('playing', 'showing')"
# Points tables show the last two deals only; their games have no other use for earlier ones.
_RECENT: Final = f"(NOT {OPEN_ENDED_SQL} OR x.no >= t.deal_no - 1)"
_SHOWN: Final = f"""CASE
    WHEN {OPEN_ENDED_SQL} THEN s.left_at IS NULL OR EXISTS (
      SELECT FROM tables_dealseat p JOIN tables_deal x ON x.table_id = $4 AND x.id = p.deal_id
      WHERE p.table_id = $4 AND p.seat_id = s.id AND x.no >= t.deal_no - 1)
    WHEN t.starters > 0 THEN s.number IS NOT NULL ELSE s.left_at IS NULL END"""
_SEAT: Final = (
    *("id", "player_id", "number", "left_at", "sits_out_since", "deals_missed"),
    "seeds_withheld",
    *("is_absent", "extra_chips", "ready_for", "said", "said_at", "shows_hands_from"),
)
_TIMES: Final = ("left_at", "sits_out_since", "said_at")
_DEAL: Final = ("id", "no", "status", "ending")
_COMING: Final = (
    "id",
    "no",
    "status",
    "commitment",
    "chain",
    "redrawn",
    "toss",
    "closed_at",
    "public_id",
)
_SCORE: Final = (
    *("id", "deal_id", "seat_id", "points", "total_after", "how"),
    *("chips_after", "won_minor", "arrangement"),
)
_ELIMINATION: Final = ("id", "seat_id", "deal_id", "total", "rejoined_at", "rejoined_total")
_PLAYER: Final = ("id", "handle", "is_bot", "avatar", "owner_id")
_WINDOW: Final = ("id", "public_id", "kind", "deal_id", "proposed_by_id")
_ANSWER: Final = ("id", "seat_id", "total", "amount_minor", "said")
_RESULT: Final = ("seat_id", "place", "total", "prize_minor")


def _named(alias: str, names: Sequence[str]) -> str:
    return ", ".join(f"{alias}.{name}" for name in names)


_BETWEEN: Final = f"""
    CASE WHEN {_NOT_IN_PLAY} THEN json_build_array(
      (SELECT json_agg(json_build_array({_named("x", _DEAL)}) ORDER BY x.no) FROM tables_deal x
        WHERE x.table_id = $4 AND x.no BETWEEN 1 AND t.deal_no AND {_RECENT}),
      (SELECT json_agg(json_build_array({_named("s", _SCORE)}) ORDER BY x.no, s.seat_id)
        FROM tables_score s JOIN tables_deal x ON x.table_id = $4 AND x.id = s.deal_id
        WHERE s.table_id = $4 AND {_RECENT}),
      CASE WHEN {OPEN_ENDED_SQL} THEN (SELECT json_agg(json_build_array(s.id, z.total_after))
        FROM tables_seat s CROSS JOIN LATERAL (SELECT x.total_after FROM tables_score x
          WHERE x.table_id = $4 AND x.seat_id = s.id ORDER BY x.id DESC LIMIT 1) z
        WHERE s.table_id = $4 AND {_SHOWN}) END,
      (SELECT json_build_array(v.deal_id, v.server_seed, v.head) FROM tables_deal x
        JOIN tables_reveal v ON v.table_id = $4 AND v.deal_id = x.id
        WHERE x.table_id = $4 AND x.status = 'settled' AND {_RECENT}
        ORDER BY x.no DESC LIMIT 1),
      (SELECT json_build_array({_named("x", _COMING)},
          (SELECT json_agg(json_build_array(c.seat_id, c.draw, c.text, c.commitment)
              ORDER BY c.seat_id)
            FROM tables_clientseed c WHERE c.table_id = $4 AND c.deal_id = x.id))
        FROM tables_deal x
        WHERE x.table_id = $4 AND x.no = t.deal_no + 1 AND x.status = 'committed'),
      CASE WHEN t.phase IN ('rejoin', 'split') THEN (SELECT json_agg(json_build_array(
          {_named("a", _ANSWER)}, json_build_array({_named("w", _WINDOW)})) ORDER BY s.number)
        FROM tables_window w JOIN tables_answer a ON a.table_id = $4 AND a.window_id = w.id
        JOIN tables_seat s ON s.table_id = $4 AND s.id = a.seat_id
        WHERE w.table_id = $4 AND w.closed_at IS NULL) END,
      CASE WHEN t.phase IN ('between', 'split') THEN (SELECT json_agg(w.proposed_by_id)
        FROM tables_window w
        WHERE w.table_id = $4 AND w.deal_id = d.id AND w.kind = 'split') END,
      CASE WHEN t.phase = 'finished' THEN (SELECT json_agg(json_build_array({_named("o", _RESULT)}))
        FROM tables_result o WHERE o.table_id = $4) END) END
"""  # noqa: S608  Names of our own columns.


def _snapshot(between: str) -> Statement:
    return Statement(
        f"""
    SELECT {columns("t", Table)}, {columns("r", RuleProfile)}, {columns("d", Deal)},
    json_build_array((SELECT json_agg(json_build_array({_named("s", _SEAT)},
        (SELECT json_agg(b.stake_id ORDER BY b.no) FROM tables_buyin b
          WHERE b.table_id = $4 AND b.seat_id = s.id),
        json_build_array(u.player_id, u.handle, u.is_bot, u.avatar, u.owner_id)
      ) ORDER BY s.number, s.id)
      FROM tables_seat s JOIN players_playername u ON u.player_id = s.player_id
      WHERE s.table_id = $4 AND {_SHOWN}),
    (SELECT json_agg(json_build_array(p.deal_id, p.position, p.seat_id, p.groups)
        ORDER BY p.position)
      FROM tables_deal x JOIN tables_dealseat p ON p.table_id = $4 AND p.deal_id = x.id
      WHERE x.table_id = $4 AND x.no BETWEEN t.deal_no - 1 AND t.deal_no),
    (SELECT json_agg(json_build_array(m.id, m.ply, m.text) ORDER BY m.ply)
      FROM (SELECT id, ply, text FROM tables_move WHERE table_id = $4 AND deal_id = d.id
          AND dealt_on = (d.started_at AT TIME ZONE 'UTC')::date
        ORDER BY ply DESC LIMIT {LATEST_MOVES}) m),
    (SELECT json_agg(json_build_array({_named("e", _ELIMINATION)}) ORDER BY e.id)
      FROM tables_elimination e WHERE e.table_id = $4)),
    {between},
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


# Parameters: a seat, its player and a move's id, for `earlier_pk`; then the table's key, which each
# part names as `$4`: over distributed tables it selects the node (docs/adr/0009).
SNAPSHOT: Final = _snapshot(_BETWEEN)
# Without what is read only between deals, which would cost a move 0.14 ms in the database.
SNAPSHOT_IN_PLAY: Final = _snapshot("NULL::json")

_TABLE_ENDS: Final = len(Table._meta.concrete_fields)
_RULES_END: Final = _TABLE_ENDS + len(RuleProfile._meta.concrete_fields)
_DEAL_ENDS: Final = _RULES_END + len(Deal._meta.concrete_fields)


def read_snapshot(table_id: int, *, phase: str = Table.Phase.PLAYING) -> TableSnapshot:
    """Return a table's snapshot. Raise `Table.DoesNotExist` if there is none.

    `phase` is the one expected, and decides only which statement is sent first.
    """
    if phase in IN_PLAY:
        snapshot = _read(SNAPSHOT_IN_PLAY, table_id)
        if snapshot.table.phase in IN_PLAY:
            return snapshot
    return _read(SNAPSHOT, table_id)


def _read(statement: Statement, table_id: int) -> TableSnapshot:
    found = statement.rows(*of_table(table_id))
    if not found:
        raise Table.DoesNotExist("no such table")
    return snapshot_from_row(found[0])


def of_table(
    table_id: int,
    *,
    seat_id: int | None = None,
    player_id: int | None = None,
    move_id: UUID | None = None,
) -> tuple[object, ...]:
    """Return the parameters of a snapshot, with the move this seat made under this id."""
    return (seat_id, player_id, move_id, table_id)


def snapshot_from_row(row: tuple[Any, ...]) -> TableSnapshot:
    """Return a snapshot from a row of one of its statements."""
    profile = profile_from_row(row[_TABLE_ENDS:_RULES_END])
    table = model_from_row(Table, row[:_TABLE_ENDS], profile=profile)
    deal = None
    if row[_RULES_END] is not None:
        deal = model_from_row(Deal, row[_RULES_END:_DEAL_ENDS], table=table)
    (seats, places, latest, out), between, earlier_pk, last_beat, outages, now = row[_DEAL_ENDS:]
    eliminations = [_of_table(table, Elimination, _ELIMINATION, values) for values in out or ()]
    standing = {each.seat_id for each in eliminations if each.rejoined_total is None}
    snapshot = TableSnapshot(
        table=table,
        now=now,
        deal=deal,
        seats=[_seat(table, values, standing) for values in seats or ()],
        places=[Place(*place) for place in places or ()],
        latest=[(pk, ply, text) for pk, ply, text in latest or ()],
        eliminations=eliminations,
        has_scores=between is not None,
        earlier_pk=earlier_pk,
        last_beat=last_beat,
        outages=[(start, end) for start, end in outages or ()],
    )
    if between is not None:
        _add_what_is_scored(snapshot, between)
    return snapshot


def _add_what_is_scored(snapshot: TableSnapshot, between: list[Any]) -> None:
    """Add what `SNAPSHOT` reads only while no cards are played."""
    table, current = snapshot.table, snapshot.deal
    deals, scores, latest_totals, revealed, coming, answers, proposers, results = between
    by_key = {values[0]: _of_table(table, Deal, _DEAL, values) for values in deals or ()}
    if current is not None:
        by_key[current.pk] = current
    snapshot.deals[:] = by_key.values()
    if revealed:
        reveal = _of_table(table, Reveal, ("deal_id", "server_seed", "head"), revealed)
        by_key[reveal.deal_id]._state.fields_cache["reveal"] = reveal
    rejoined = {(each.seat_id, each.deal_id): each.rejoined_total for each in snapshot.eliminations}
    for values in scores or ():
        score = _of_table(table, Score, _SCORE, values, deal=by_key[values[1]])
        score.bought_in_at = rejoined.get((score.seat_id, score.deal_id))
        snapshot.scores.append(score)
    snapshot.latest_totals.update(latest_totals or ())
    if coming:
        *values, given = coming
        snapshot.coming = _of_table(table, Deal, _COMING, values)
        *_, closed_at, public_id = values
        snapshot.coming.public_id = UUID(public_id)
        snapshot.coming.closed_at = closed_at and datetime.fromisoformat(closed_at)
        draw = snapshot.coming.draw
        snapshot.client_seeds.update(
            (seat_id, Given(text, committed))
            for seat_id, drawn, text, committed in given or ()
            if drawn == draw
        )
    for *values, asked in answers or ():
        window = _of_table(table, Window, _WINDOW, asked)
        window.public_id = UUID(asked[1])
        snapshot.answers.append(_of_table(table, Answer, _ANSWER, values, window=window))
    snapshot.proposers.update(proposers or ())
    for values in results or ():
        seat = snapshot.seat(values[0])
        seat._state.fields_cache["result"] = _of_table(table, Result, _RESULT, values)


def _seat(table: Table, values: list[Any], standing: Collection[int]) -> Seat:
    *own, stakes, player = values
    seat = _of_table(
        table,
        Seat,
        _SEAT,
        own,
        player=model_from_row(User, player, _PLAYER),
        result=None,
    )
    for name in _TIMES:
        if (at := getattr(seat, name)) is not None:
            setattr(seat, name, datetime.fromisoformat(at))
    seat.is_out, seat.stakes = seat.pk in standing, stakes or []
    return seat


def _of_table(
    table: Table, model: type[Row], names: Sequence[str], values: Sequence[Any], **related: Any
) -> Row:
    row = model_from_row(model, values, names, table=table, **related)
    row.__dict__["table_id"] = table.pk
    return row
