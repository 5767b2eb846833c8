"""Small builders, valid by default, for the tests of tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from itertools import count
from threading import Barrier
from typing import Any
from uuid import uuid4

from django.db import connections
from django.utils import timezone

from players.accounts.models import User
from rummy import PROFILES, Rules, RummyError
from rummy.notation.cards import CARDS
from tables.dealing.state import fold_of
from tables.exceptions import TableError
from tables.games import opening
from tables.offers import profiles
from tables.play import actions
from tables.play.actions import Accepted
from tables.seats import seating
from tables.table.deal_models import Deal
from tables.table.models import Table
from tables.table.seat_models import Seat
from tests.builders.wallet.players import OF_AGE, create_user, verify_email
from wallet.bonuses import play_points
from wallet.exceptions import WalletError

POOL_101 = PROFILES["total-rummy-pool-101"]
NO_PAUSES = {"gap_seconds": 0, "toss_seconds": 0, "start_seconds": 0}

_numbers = count(1)


def make_player(**fields: Any) -> User:
    number = next(_numbers)
    fields = {"handle": f"player_{number}", "email": f"player_{number}@example.com"} | fields
    player = create_user(**OF_AGE | fields)
    if player.country:
        verify_email(player)
    play_points.grant_sign_up(player=player)
    return player


def make_rules(**overrides: Any) -> Rules:
    """Pool 101 without pauses; overrides get a name of their own, as rules must."""
    changed = NO_PAUSES | overrides
    name = "-".join(f"{field}={value}" for field, value in sorted(changed.items()))
    return POOL_101.with_(name=f"test {name}"[:60], **changed)


def make_table(*, rules: Rules | None = None, **overrides: Any) -> Table:
    fields = {
        "name": "Test table",
        "currency": "PTS",
        "entry_minor": 100_00,
        "rake_bps": 1_000,
        "seats_min": 2,
        "seats_max": 2,
    } | overrides
    profile = profiles.register_profile(rules or make_rules())
    return opening.open_table(profile=profile, **fields)


def make_game(*, players: int = 2, **overrides: Any) -> Table:
    """A table at which everybody sits and the first turn has begun."""
    table = make_table(seats_min=players, seats_max=players, **overrides)
    for _ in range(players):
        seating.join(table_id=table.pk, player=make_player())
    return reread(table)


def reread(table: Table) -> Table:
    return Table.objects.select_related("profile").get(pk=table.pk)


def deal_at(table: Table) -> Deal:
    """The deal on the table by now, however old the table in hand is."""
    return table.deals.get(no=reread(table).deal_no)


def seat_at(table: Table, position: int) -> Seat:
    return deal_at(table).deal_seats.select_related("seat__player").get(position=position).seat


def hand_of(table: Table, position: int) -> list[str]:
    """The cards a position holds, the drawn one last: the truth, past every view."""
    state = fold_of(deal_at(table)).state
    return [str(card) for card in state.seats[position - 1].hand]


def other_than(cards: Iterable[str]) -> str:
    """A card that is none of these."""
    return str(next(card for card in CARDS if str(card) not in {*cards}))


def move(table: Table, position: int, text: str, **overrides: Any) -> Accepted:
    """Make one move for whoever sits at this position, at the table's present version."""
    fields = {"move_id": uuid4(), "text": text, "expected_version": reread(table).version}
    return actions.make_move(seat=seat_at(table, position).pk, **(fields | overrides))


def run_out(table: Table, *, seconds: float = 0.0) -> Table:
    """Let the table's own time end so many seconds ago, as if everybody had waited."""
    table = reread(table)
    ended = timezone.now() - timedelta(seconds=seconds)
    Table.objects.filter(pk=table.pk).update(
        due_at=ended, armed_at=ended - (table.due_at - table.armed_at)
    )
    return reread(table)


def at_once(jobs: Sequence[Callable[[], Any]]) -> list[Any]:
    """Run the jobs in threads of their own and return results or the refusals they raised."""
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
