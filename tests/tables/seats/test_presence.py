"""Closing the browser, losing the network, two tabs, two tables at once: what each means."""

from functools import partial
from uuid import uuid4

import pytest
from django.utils import timezone

from tables.exceptions import StaleVersion
from tables.lobby.offers import lobby_rows
from tables.models.deals import Move
from tables.models.seats import Seat
from tables.models.tables import Table
from tables.play.actions import Accepted, make_move
from tables.seats import seating
from tables.state import clock
from tables.view.table_view import table_view
from tests.builders.tables.making import make_game, make_player, make_rules, make_table
from tests.builders.tables.playing import at_once, deal_at, move, reread, run_out, seat_at

pytestmark = pytest.mark.django_db


def test_who_closes_the_browser_keeps_the_seat_and_misses_turns():
    table = make_game(players=3)
    seat = seat_at(table, 1)

    run_out(table, seconds=60)
    clock.apply_overdue(table_id=table.pk, now=timezone.now())

    assert Seat.objects.get(pk=seat.pk).left_at is None
    assert Move.objects.get(deal=deal_at(table)).text == "p1 miss +30000"
    [running] = [row for row in lobby_rows(seat.player) if row.mine]
    assert running.id == table.public_id
    assert table_view(reread(table), seat.player).me.hand


def test_an_answer_lost_on_the_way_is_given_again_and_nothing_is_played_twice():
    table = make_game(players=2)
    move_id = uuid4()

    first = move(table, 1, "ds", move_id=move_id)
    again = move(table, 1, "ds", move_id=move_id)

    assert (again.is_repeat, again.move) == (True, first.move)
    assert Move.objects.filter(deal=deal_at(table)).count() == 1


@pytest.mark.django_db(transaction=True)
def test_two_tabs_cannot_both_move():
    table = make_game(players=2)
    seat, version = seat_at(table, 1), reread(table).version

    def tab(text):
        return make_move(seat=seat.pk, move_id=uuid4(), text=text, expected_version=version)

    answers = at_once([partial(tab, "ds"), partial(tab, "ds")])

    assert sum(isinstance(answer, StaleVersion) for answer in answers) == 1
    assert Move.objects.filter(deal=deal_at(table)).count() == 1


@pytest.mark.django_db(transaction=True)
def test_one_player_at_two_tables_plays_each_as_if_it_were_the_only_one():
    player = make_player()
    rules = make_rules()
    tables = [make_table(rules=rules) for _ in range(2)]
    for table in tables:
        seating.join(table_id=table.pk, player=player)
        seating.join(table_id=table.pk, player=make_player())
    mine = [table.seats.get(player=player) for table in tables]

    moved = at_once([partial(move, reread(table), 1, "ds") for table in tables])
    seating.leave(seat_id=mine[0].pk)

    assert all(isinstance(answer, Accepted) for answer in moved)
    assert reread(tables[0]).phase == Table.Phase.SETTLING
    assert reread(tables[1]).phase == Table.Phase.PLAYING
    assert Seat.objects.get(pk=mine[1].pk).left_at is None
