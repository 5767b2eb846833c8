"""Games of each kind, played only by moves to the state in their name, for the audit of play."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Final

from rummy import PROFILES
from tables.integrity.moderation import rulings
from tables.models.tables import Table
from tables.seats import seating
from tests.builders.tables.crowd import People
from tests.builders.tables.deals import SUDDEN, drop_out, settle, take_turn
from tests.builders.tables.making import NO_PAUSES, make_game, make_player, make_rules
from tests.builders.tables.playing import deal_at, move, reread, seat_at
from tests.builders.tables.points_tables import make_points_game, next_deal
from tests.builders.tables.pools import NO, YES, let_time_pass, make_pool, propose, say
from tests.builders.tables.straight_tables import make_straight_game
from tests.builders.tournaments.tournaments import (
    enter,
    make_sit_and_go,
    play_to_the_end,
    play_whole_table,
)

# A middle drop costs all but one point of the limit, a first drop a fourth.
HARD: Final = {"limit": 81, "first_drop": 20, "middle_drop": 80, "cap": 80, "gap_seconds": 60}


def running_duel() -> Table:
    """A pool of two after two turns of its first deal."""
    table = make_game(rules=make_rules(**SUDDEN))
    take_turn(table)
    take_turn(table)
    return reread(table)


def duel() -> Table:
    table = running_duel()
    while not reread(table).is_over:
        drop_out(table)
    return reread(table)


def all_drop_but(table: Table, winner: int) -> Table:
    """All drop until this position has won: the leader after a turn, the others before any."""
    take_turn(table)
    for position in range(2, deal_at(table).deal_seats.count() + 1):
        if position == winner:
            take_turn(table)
        else:
            move(table, position, "drop")
    if winner != 1:
        move(table, 1, "drop")
    settle(table)
    return reread(table)


def rejoined_pool() -> Table:
    """Four players with 80, 20, 20 and 0 after a deal; the first goes out and buys in at 41."""
    table = make_pool(players=4, rules=make_rules(**HARD))
    out = seat_at(table, 1).number
    table = let_time_pass(all_drop_but(table, 4))
    table = all_drop_but(table, 1)
    assert table.phase == Table.Phase.REJOIN
    say(table, out, YES)
    return reread(table)


def split_pool() -> Table:
    """Another one goes out for good; the three who are left share the pot."""
    table = let_time_pass(rejoined_pool())
    out = seat_at(table, 1).number
    table = all_drop_but(table, 3)
    assert table.phase == Table.Phase.REJOIN
    say(table, out, NO)
    there = [seat.number for seat in table.seats.active().in_seat_order()]
    propose(table, there[0])
    for number in there[1:]:
        say(table, number, YES)
    return reread(table)


def deals() -> Table:
    rules = PROFILES["total-rummy-best-of-2"].with_(name="test played best of 2", **NO_PAUSES)
    return People(make_game(players=2, rules=rules), random.Random(3), leaving=0.0).play_on()


def points() -> Table:
    """A points table after two deals; one has left, another sits."""
    table = make_points_game(players=3, rake_bps=1_000)
    drop_out(table)
    table = next_deal(table)
    seating.leave(seat_id=seat_at(table, 1).pk)
    drop_out(table)
    return reread(table)


def straight() -> Table:
    return People(make_straight_game(3, target=60), random.Random(3), leaving=0.0).play_on()


def left_duel() -> Table:
    table = make_game(players=2)
    seating.leave(seat_id=seat_at(table, 1).pk)
    settle(table)
    return reread(table)


def cancelled() -> Table:
    table = running_duel()
    staff = make_player(is_staff=True)
    rulings.cancel_game(table_id=table.pk, by=staff, reason="A power cut")
    return reread(table)


def voided() -> Table:
    table = running_duel()
    staff = make_player(is_staff=True)
    rulings.void_deal(deal_id=deal_at(table).pk, by=staff, reason="A card lay open")
    while not reread(table).is_over:
        drop_out(table)
    return reread(table)


def tournament() -> Table:
    """A table of a tournament that was played to its end."""
    opened = make_sit_and_go(entrants_max=3)
    enter(opened, 3)
    play_to_the_end(opened, play_whole_table)
    return Table.objects.filter(owner_ref__startswith="tournament:").latest("pk")


GAMES: Final[dict[str, tuple[Callable[[], Table], str]]] = {
    "running duel": (running_duel, "playing"),
    "duel": (duel, "finished"),
    "pool after a rejoin": (rejoined_pool, "between"),
    "pool after a split": (split_pool, "finished"),
    "deals": (deals, "finished"),
    "points": (points, "between"),
    "straight": (straight, "finished"),
    "duel that was left": (left_duel, "finished"),
    "cancelled": (cancelled, "cancelled"),
    "voided deal": (voided, "finished"),
    "tournament": (tournament, "finished"),
}
"""How each is made, and the phase it comes to."""
