"""One table in every phase of every game, for tests that walk all of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import rummy
from rummy import PROFILES
from tables.integrity.moderation import rulings
from tables.lobby.table_templates import profiles
from tables.models.tables import Table
from tables.seats import hosted, seating
from tables.state.fold import fold_of
from tests.builders.tables.deals import drop_out, settle
from tests.builders.tables.making import NO_PAUSES, make_game, make_player, make_rules, make_table
from tests.builders.tables.playing import deal_at, move, reread
from tests.builders.tables.points_tables import (
    make_points_game,
    make_points_table,
    next_deal,
    sit_in,
)
from tests.builders.tables.pools import (
    NO,
    let_time_pass,
    make_pool,
    make_rich_player,
    propose,
    say,
    score,
    seat_no,
)

OUT: Final = 101
PATIENT: Final = {"start_seconds": 60, "gap_seconds": 60}


def waiting() -> Table:
    """Two wait, and a third has got up again."""
    table = make_table(rules=make_rules(**PATIENT), seats_max=4)
    for _ in range(2):
        seating.join(table_id=table.pk, player=make_player())
    seating.leave(seat_id=seating.join(table_id=table.pk, player=make_player()).pk)
    return table


def private_waiting() -> Table:
    table = waiting()
    Table.objects.filter(pk=table.pk).update(invite_code="a-code")
    return table


def toss() -> Table:
    return make_game(players=2, rules=make_rules(toss_seconds=10))


def playing() -> Table:
    """Deal 2, with a dropped seat and one that has left."""
    table = make_pool(players=4, rules=make_rules(gap_seconds=0))
    table = score(table, 0, 10, 20, 30)
    first = fold_of(deal_at(table)).state.to_act
    move(table, first, "drop")
    seating.leave(seat_id=table.seats.order_by("pk")[3].pk)
    return table


def practice() -> Table:
    return make_game(players=2, bots_fill=True)


def play_to_a_show(table: Table) -> Table:
    """Let bots' heads play for people until one of them has shown."""
    while reread(table).phase == Table.Phase.PLAYING:
        state = fold_of(deal_at(table)).state
        legal = rummy.thirteen.legal_moves(state, state.to_act)
        legal = [each for each in legal if not isinstance(each, rummy.Drop)]
        chosen = rummy.bots.choose(rummy.thirteen.view(state, state.to_act), legal)
        move(table, state.to_act, chosen.text)
    return table


def showing() -> Table:
    """One player has shown, and another one owes groups."""
    return play_to_a_show(make_game(players=2))


def practice_showing() -> Table:
    return play_to_a_show(make_game(players=2, bots_fill=True))


def settling() -> Table:
    table = make_game(players=2)
    move(table, 1, "drop")
    return table


def rejoin() -> Table:
    """One is out and asked, one has left, three play on."""
    table = make_pool(players=5)
    seating.leave(seat_id=seat_no(table, 2).pk)
    return score(table, 0, 40, 20, 50, OUT)


def between() -> Table:
    """Deal 1 is scored: one is out for good, three play on and may split."""
    table = make_pool(players=5)
    table = score(table, 0, 20, 20, OUT, OUT)
    for number in (4, 5):
        say(table, number, NO)
    return table


def split() -> Table:
    table = between()
    propose(table, 1)
    return table


def finished() -> Table:
    return score(make_pool(players=2), 0, OUT)


def cancelled() -> Table:
    table = playing()
    rulings.cancel_game(table_id=table.pk, by=make_player(is_staff=True), reason="Power cut")
    return table


def cancelled_waiting() -> Table:
    table = waiting()
    rulings.cancel_game(table_id=table.pk, by=make_player(is_staff=True), reason="Power cut")
    return table


def void(table: Table) -> Table:
    staff = make_player(is_staff=True)
    rulings.void_deal(deal_id=deal_at(table).pk, by=staff, reason="A card lay open")
    return table


def after_void() -> Table:
    """Deal 1 is void, and the gap runs: nothing is scored."""
    return void(make_pool(players=4))


def after_void_later() -> Table:
    return void(playing_with_gap())


def playing_with_gap() -> Table:
    table = score(make_pool(players=4), 0, 20, 60, OUT)
    say(table, 4, NO)
    return let_time_pass(table)


DEALS_RULES: Final = PROFILES["total-rummy-best-of-3"].with_(
    name="test best of 3", **(NO_PAUSES | {"gap_seconds": 60})
)


def deals_playing() -> Table:
    return make_game(players=3, rules=DEALS_RULES)


def deals_between() -> Table:
    """Deal 1 was played to its show and scored."""
    table = play_to_a_show(deals_playing())
    let_time_pass(table)
    settle(table)
    return table


def deals_after_void() -> Table:
    return void(deals_playing())


def points_waiting() -> Table:
    """A single stack at a table without any deal."""
    table = make_points_table()
    sit_in(table, 200_00)
    return table


def points_alone() -> Table:
    """A deal was played, then all but one left."""
    table = make_points_game(players=2)
    drop_out(table)
    seating.leave(seat_id=table.seats.order_by("pk")[0].pk)
    return next_deal(table)


def points_playing() -> Table:
    """Two are in the deal, one of three has left in it."""
    table = make_points_game(players=3)
    seating.leave(seat_id=table.seats.order_by("pk")[0].pk)
    return table


def points_settling() -> Table:
    table = make_points_game(players=2)
    move(table, 1, "drop")
    return table


def points_between() -> Table:
    """One cannot pay for another deal and sits out."""
    table = make_points_game(players=3, stack=80_00)
    drop_out(table)
    return table


def points_after_void() -> Table:
    return void(make_points_game(players=2))


def points_closed() -> Table:
    table = make_points_game(players=2)
    rulings.cancel_game(table_id=table.pk, by=make_player(is_staff=True), reason="Power cut")
    return table


def chips(**rules: Any) -> Table:
    return hosted.open_table(
        profile=profiles.register_profile(make_rules(gap_seconds=60, **rules)),
        name="Round 1",
        owner_ref="tournament:test",
        players=[make_rich_player(500_00) for _ in range(4)],
        stop_at_survivors=1,
        currency="PTS",
        entry_minor=100_00,
        rake_bps=1_000,
    )


def chips_toss() -> Table:
    return chips(toss_seconds=10)


def chips_between() -> Table:
    table = chips()
    score(table, 0, 20, 60, OUT)
    return table


def chips_finished() -> Table:
    table = chips()
    score(table, 0, OUT, OUT, OUT)
    return table


# Where commands of a seat are accepted, and one end: walked in each run.
FIRST: Final = ("waiting", "playing", "rejoin", "split", "finished")
# With them each phase and each kind of game is met, which the extended run walks.
EACH_KIND: Final = (
    *FIRST,
    "toss",
    "showing",
    "settling",
    "cancelled",
    "deals between",
    "points playing",
    "points closed",
    "chips playing",
)
# What builds a table, and the phase it must come to.
TABLES: Final[dict[str, tuple[Callable[[], Table], str]]] = {
    "waiting": (waiting, "waiting"),
    "private": (private_waiting, "waiting"),
    "toss": (toss, "toss"),
    "playing": (playing, "playing"),
    "practice": (practice, "playing"),
    "showing": (showing, "showing"),
    "practice showing": (practice_showing, "showing"),
    "settling": (settling, "settling"),
    "rejoin": (rejoin, "rejoin"),
    "between": (between, "between"),
    "split": (split, "split"),
    "finished": (finished, "finished"),
    "cancelled": (cancelled, "cancelled"),
    "cancelled before it began": (cancelled_waiting, "cancelled"),
    "after a void first deal": (after_void, "between"),
    "after a void later deal": (after_void_later, "between"),
    "deals playing": (deals_playing, "playing"),
    "deals between": (deals_between, "between"),
    "deals after a void deal": (deals_after_void, "between"),
    "points waiting": (points_waiting, "waiting"),
    "points alone": (points_alone, "waiting"),
    "points playing": (points_playing, "playing"),
    "points settling": (points_settling, "settling"),
    "points between": (points_between, "between"),
    "points after a void deal": (points_after_void, "between"),
    "points closed": (points_closed, "cancelled"),
    "chips toss": (chips_toss, "toss"),
    "chips playing": (chips, "playing"),
    "chips between": (chips_between, "between"),
    "chips finished": (chips_finished, "finished"),
}
