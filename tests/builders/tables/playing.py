"""Helpers that play at a table: reread its rows, move, let its time run out, act concurrently."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier
from typing import Any
from uuid import uuid4

from django.db import connections
from django.utils import timezone

from core.db.statements import Statement, columns, model_from_row
from players.accounts.models import User
from rummy import RummyError
from rummy.notation.cards import CARDS
from tables.exceptions import TableError
from tables.models.deals import Deal
from tables.models.seats import Seat
from tables.models.tables import Table
from tables.play import actions
from tables.play.actions import Accepted
from tables.state.fold import fold_of
from tables.state.snapshot import TableSnapshot, read_snapshot
from wallet.exceptions import WalletError

# Read as the product reads a table: Django would build the SQL of these queries each time,
# which takes longer than what most tests are about.
SEAT = Statement(
    f"SELECT {columns('s', Seat)}, {columns('u', User)} FROM tables_seat s"
    " JOIN players_user u ON u.id = s.player_id WHERE s.id = %s"
)
SEAT_ENDS = len(Seat._meta.concrete_fields)


def reread(table: Table) -> Table:
    return read_snapshot(table.pk).table


def deal_at(table: Table) -> Deal:
    """Return the present deal of a table; the given row may be outdated."""
    return _deal_of(read_snapshot(table.pk))


def seat_at(table: Table, position: int) -> Seat:
    """Return a position's seat with its player."""
    (row,) = SEAT.rows(seat_id_at(table, position))
    player = model_from_row(User, row[SEAT_ENDS:])
    return model_from_row(Seat, row[:SEAT_ENDS], player=player)


def seat_id_at(table: Table, position: int) -> int:
    return _seat_id_at(read_snapshot(table.pk), position)


def _deal_of(snapshot: TableSnapshot) -> Deal:
    if snapshot.deal is None:
        raise Deal.DoesNotExist("nothing was dealt yet")
    return snapshot.deal


def _seat_id_at(snapshot: TableSnapshot, position: int) -> int:
    places = snapshot.places_in(_deal_of(snapshot))
    return next(place.seat_id for place in places if place.position == position)


def hand_of(table: Table, position: int) -> list[str]:
    """Return the cards a position holds, the drawn one last, read from the deal itself."""
    state = fold_of(deal_at(table)).state
    return [str(card) for card in state.seats[position - 1].hand]


def other_than(cards: Iterable[str]) -> str:
    """Return a card that is none of these."""
    return str(next(card for card in CARDS if str(card) not in {*cards}))


def move(table: Table, position: int, text: str, **overrides: Any) -> Accepted:
    """Make one move for the player at this position, in the open window or at this version."""
    snapshot = read_snapshot(table.pk)
    fields: dict[str, Any] = {"move_id": uuid4(), "text": text}
    if text.startswith("meld") and (window_id := snapshot.table.window_id) is not None:
        fields["window_id"] = window_id
    else:
        fields["expected_version"] = snapshot.table.version
    return actions.make_move(seat=_seat_id_at(snapshot, position), **(fields | overrides))


def run_out(table: Table, *, seconds: float = 0.0) -> Table:
    """Let the table's own time end so many seconds ago, as if everybody had waited."""
    table = reread(table)
    ended = timezone.now() - timedelta(seconds=seconds)
    Table.objects.filter(pk=table.pk).update(
        due_at=ended, armed_at=ended - (table.due_at - table.armed_at)
    )
    return reread(table)


def at_once(jobs: Sequence[Callable[[], Any]]) -> list[Any]:
    """Run each job in a thread; return the results or the refusals that were raised."""
    together = Barrier(len(jobs))

    def run(job: Callable[[], Any]) -> Any:
        together.wait()
        try:
            return job()
        except (TableError, WalletError, RummyError) as refusal:
            return refusal
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(jobs)) as threads:
        return list(threads.map(run, jobs))
