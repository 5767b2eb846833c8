"""A player's running games: which of them wait, and how long."""

import pytest
from django.utils import translation
from rest_framework.test import APIClient

from tables.models.tables import Table
from tables.play.running import running_games
from tables.seats import seating
from tests.builders.tables.deals import take_turn
from tests.builders.tables.making import make_game, make_table
from tests.builders.tables.playing import reread, seat_at
from tests.builders.tables.pools import make_pool, make_rich_player, score, seat_no

pytestmark = pytest.mark.django_db


def test_games_awaiting_the_player_come_first():
    player = make_rich_player(10_000_00)
    waiting = make_table(name="Waiting")
    seating.join(table_id=waiting.pk, player=player)
    playing = make_table(name="Playing")
    for each in (player, make_rich_player(1_000_00)):
        seating.join(table_id=playing.pk, player=each)
    mine = next(p for p in (1, 2) if seat_at(playing, p).player == player)
    if mine == 2:
        take_turn(playing)

    games = running_games(player)

    assert [(game.name, game.your_turn) for game in games] == [
        ("Playing", True),
        ("Waiting", False),
    ]
    assert games[0].deadline == reread(playing).due_at
    take_turn(playing)
    assert [game.your_turn for game in running_games(player)] == [False, False]


def test_a_question_is_a_turn_and_a_finished_game_is_none():
    pool = score(make_pool(players=3), 0, 10, 101)
    assert [game.your_turn for game in running_games(seat_no(pool, 3).player)] == [True]
    assert [game.your_turn for game in running_games(seat_no(pool, 1).player)] == [False]
    over = score(make_pool(players=2), 0, 101)
    assert running_games(seat_no(over, 1).player) == []


def test_built_in_table_name_is_translated(owner):
    table = make_game(players=2)
    with owner():
        Table.objects.filter(pk=table.pk).update(name="Practice VIP straight")

    with translation.override("hi"):
        (game,) = running_games(seat_at(table, 1).player)

    assert game.name == "प्रैक्टिस वीआईपी स्ट्रेट"


def test_running_games_api_lists_only_own_games():
    table = make_game(players=2)
    client = APIClient()
    assert client.get("/api/v1/tables/running/").status_code == 403
    client.force_authenticate(seat_at(table, 1).player)

    (game,) = client.get("/api/v1/tables/running/").json()["results"]

    assert (game["id"], game["your_turn"]) == (str(table.public_id), True)
