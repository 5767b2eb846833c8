"""What the lobby says about games: people playing, games to watch, and expected waits."""

from datetime import timedelta

import pytest
from django.core.cache import cache
from django.urls import reverse

from core.clock import database_now
from tables.bots import bots
from tables.lobby.activity import GAMES_MIN, read_activity, read_waits
from tables.lobby.offers import expected_wait, kind_rows, lobby_rows
from tables.models.seats import Seat
from tables.models.tables import Table
from tables.seats import seating
from tests.builders.tables.making import make_game, make_player, make_rules, make_table
from tests.builders.tables.offers import make_practice, make_template

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("fresh_cache")]


def test_running_public_games_are_counted_and_listed_by_currency():
    watched, larger = make_game(name="Duel"), make_game(name="Three", players=3)
    make_table(name="Waiting")
    make_game(name="Simulated", owner_ref="simulation:1")
    private = make_table(name="Private", seats_max=2)
    Table.objects.filter(pk=private.pk).update(invite_code="secret")
    for _ in range(2):
        seating.join(table_id=private.pk, player=make_player(), code="secret")

    now = read_activity()

    assert now.playing == {"PTS": 9}
    assert now.watchable == {"PTS": 2}
    assert [table.id for table in now.tables] == [str(larger.public_id), str(watched.public_id)]
    seats = watched.seats.order_by("number").select_related("player")
    assert now.tables[1].players == [(s.player.handle, s.player.picture.value) for s in seats]
    assert [len(table.players) for table in now.tables] == [3, 2]
    assert (now.tables[1].prize.text, now.tables[1].deal_no) == ("180 PTS", 1)


def test_player_at_two_games_is_counted_once_and_bots_never():
    player = make_player()
    for seats in (2, 3):
        table = make_table(seats_min=seats, seats_max=seats)
        for each in [player, *(make_player() for _ in range(seats - 1))]:
            seating.join(table_id=table.pk, player=each)
    practice = make_practice()
    for each in [player, *bots.bots_for(practice, 1)]:
        seating.join(table_id=practice.pk, player=each)

    assert read_activity().playing == {"PTS": 4}


def test_lobby_shows_the_numbers_and_leaves_out_own_games(client):
    mine = make_game(name="Own duel")
    make_game(name="Of others")
    client.force_login(Seat.objects.filter(table=mine).first().player)

    page = client.get(reverse("lobby")).text

    assert "4 playing now" in page
    assert "1 table to watch" in page
    watched = page.partition("Games to watch")[2].partition("lobby-tools")[0]
    assert "Of others" in watched
    assert "Own duel" not in watched


def played(template, waits):
    """Record games of a kind that started these seconds after their first player sat down."""
    for seconds in waits:
        table = make_game(template=template)
        first = min(table.seats.values_list("joined_at", flat=True))
        Table.objects.filter(pk=table.pk).update(started_at=first + timedelta(seconds=seconds))


def test_expected_wait_is_the_median_of_recent_games_of_the_kind():
    known, new = make_template(slug="known"), make_template(slug="new")
    played(known, [30, 60, 90, 120, 600])
    played(new, [30] * (GAMES_MIN - 1))

    assert read_waits() == {"known": pytest.approx(90, abs=1)}


def test_wait_shrinks_while_players_wait_and_ends_with_the_countdown():
    make_table(rules=make_rules(start_seconds=60), seats_max=3)
    (row,) = lobby_rows(None)
    now = database_now()

    assert expected_wait(row, None, now) is None
    assert expected_wait(row, 90.0, now) == timedelta(seconds=90)

    table = Table.objects.get()
    seating.join(table_id=table.pk, player=make_player())
    (row,) = lobby_rows(None)
    later = row.waiting_since + timedelta(seconds=60)

    assert expected_wait(row, 90.0, later) == timedelta(seconds=30)
    assert expected_wait(row, 45.0, later) is None

    seating.join(table_id=table.pk, player=make_player())
    Table.objects.update(due_at=now + timedelta(seconds=7), armed_at=now)
    (row,) = lobby_rows(None)

    assert expected_wait(row, 90.0, now) == timedelta(seconds=7)


def test_kind_is_one_row_with_its_fullest_table_and_the_people_who_play():
    template = make_template(slug="duels", seats_max=3)
    empty, filling = (make_table(template=template, seats_max=3) for _ in range(2))
    seating.join(table_id=filling.pk, player=make_player())

    (kind,) = kind_rows(lobby_rows(None), {"duels": 4}, {}, database_now())

    assert (kind.row.id, kind.row.seats_taken, kind.playing) == (filling.public_id, 1, 4)
    assert empty.public_id != kind.row.id


@pytest.mark.parametrize(
    ("seats_min", "before", "after"),
    [(2, "up to 270 PTS", "up to 270 PTS"), (3, "270 PTS", "270 PTS")],
)
def test_prize_is_that_of_a_full_table_until_the_seats_are_known(client, seats_min, before, after):
    table = make_table(seats_min=seats_min, seats_max=3)
    player = make_player()
    assert f"<dd>{before}</dd>" in client.get(reverse("lobby")).text

    seating.join(table_id=table.pk, player=player)

    assert f"<dd>{after}</dd>" in client.get(reverse("lobby")).text
    client.force_login(player)
    view = client.get(reverse("table-api", args=[table.public_id])).json()
    assert (view["prize"]["minor"], view["prize_is_most"]) == (270_00, seats_min == 2)


def test_no_row_says_how_many_seats_are_empty(client):
    make_template(seats_min=2, seats_max=6)
    make_table(seats_max=6)

    page = client.get(reverse("lobby")).text

    assert "0 of" not in page
    assert "2–6 players" in page


def test_lobby_costs_a_fixed_number_of_statements(client, django_assert_max_num_queries):
    client.force_login(make_player())
    update = {"HX-Request": "true"}

    def more_games():
        for seats in (2, 3, 4):
            make_game(players=seats)
            make_table(seats_max=seats)
        cache.clear()

    more_games()
    with django_assert_max_num_queries(16) as few:
        client.get(reverse("lobby"), headers=update)
    more_games()
    with django_assert_max_num_queries(len(few.captured_queries)):
        client.get(reverse("lobby"), headers=update)
    # The figures of all visitors are cached.
    with django_assert_max_num_queries(6):
        client.get(reverse("lobby"), headers=update)
    with django_assert_max_num_queries(9):
        client.get(reverse("lobby"))
