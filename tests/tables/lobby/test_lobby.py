"""The lobby has a table of every offered kind, and shows each viewer what they can do."""

import pytest
from django.utils import timezone

from rummy import PROFILES
from tables.exceptions import GameNotOffered
from tables.lobby.offers import lobby_rows
from tables.models.tables import Table
from tables.seats import seating
from tables.state import clock
from tests.builders.tables.making import make_player, make_rules, make_table
from tests.builders.tables.offers import make_template
from tests.builders.tables.playing import at_once

pytestmark = pytest.mark.django_db


@pytest.mark.django_db(transaction=True)
def test_lobby_always_has_one_table_per_template():
    duels = Table.objects.filter(template=make_template())
    clock.sweep(now=timezone.now())
    clock.sweep(now=timezone.now())
    for _ in range(2):
        seating.join(table_id=duels.get().pk if duels.count() == 1 else 0, player=make_player())

    at_once([lambda: clock.sweep(now=timezone.now())] * 2)

    assert duels.count() == 2
    assert duels.waiting().count() == 1


def test_a_kind_that_is_no_longer_offered_gets_no_new_table():
    make_template(is_offered=False)

    clock.sweep(now=timezone.now())

    assert Table.objects.count() == 0


def test_the_lobby_shows_waiting_tables_and_the_viewers_own():
    make_template()
    clock.sweep(now=timezone.now())
    waiting = Table.objects.get()
    player, other = make_player(), make_player()
    running = make_table(name="Running")
    for person in (player, other):
        seating.join(table_id=running.pk, player=person)
    make_table(name="Hidden", owner_ref="tournament:1")

    mine, strangers = lobby_rows(player), lobby_rows(make_player())

    assert {row.id for row in mine} == {waiting.public_id, running.public_id}
    assert [row.id for row in strangers] == [waiting.public_id]
    (row,) = strangers
    assert (row.variant, row.seats_taken, row.seats_max, row.mine) == ("Pool 101", 0, 2, False)
    assert (row.entry.minor, row.prize.minor, row.entry.text) == (100_00, 180_00, "100 PTS")


def test_the_lobby_costs_the_same_few_queries_for_many_tables(django_assert_num_queries):
    viewer = make_player()
    for _ in range(5):
        make_table()

    with django_assert_num_queries(1):
        assert len(lobby_rows(viewer)) == 5


@pytest.mark.parametrize(
    ("rules", "seats"), [(PROFILES["total-rummy-points"], 2), (make_rules(), 7)]
)
def test_tables_with_impossible_rules_are_not_opened(rules, seats):
    with pytest.raises(GameNotOffered):
        make_table(rules=rules, seats_max=seats)

    assert Table.objects.count() == 0
