"""Points and deals tables in the API and on pages."""

import pytest
from rest_framework.test import APIClient

from core.api.openapi import as_json
from tables.history.games import score_sheet
from tables.lobby.offers import lobby_rows
from tables.models.seats import Seat
from tables.models.tables import Table
from tables.seats import seating, stacks
from tables.view.table_view import table_view
from tests.builders.tables.deals import best_of, settle
from tests.builders.tables.making import make_game, make_player, make_table
from tests.builders.tables.playing import move, reread, seat_at
from tests.builders.tables.points_tables import (
    make_points_game,
    make_points_table,
    next_deal,
    play_deal,
    sit_in,
    stack_of,
)

pytestmark = pytest.mark.django_db


def client_of(player):
    client = APIClient()
    client.force_login(player)
    return client


def post(seat_or_player, table, rest, body=None):
    player = getattr(seat_or_player, "player", seat_or_player)
    url = f"/api/v1/tables/{table.public_id}/{rest}"
    return client_of(player).post(url, body or {}, "json")


def test_the_lobby_offers_points_tables_while_they_play():
    table = make_points_game(name="Evening points")

    [row] = lobby_rows(make_player())

    assert (row.name, row.game, row.phase) == ("Evening points", "points", "playing")
    assert (row.point_value.minor, row.stack_min.minor, row.stack_max.minor) == (
        1_00,
        80_00,
        800_00,
    )
    assert (row.seats_taken, row.seats_max, row.mine) == (2, 6, False)
    assert lobby_rows(seat_at(table, 1).player)[0].mine


def test_a_full_points_table_leaves_the_lobby_and_comes_back():
    table = make_points_game(players=2, seats_max=2)
    assert lobby_rows(make_player()) == []

    play_deal(table, 0, 20)
    seating.leave(seat_id=seat_at(table, 2).pk)

    assert [row.id for row in lobby_rows(make_player())] == [table.public_id]


def test_sitting_in_over_the_api_takes_the_stack_asked_for():
    table, player = make_points_table(), make_player()

    sat = post(player, table, "seats/", {"amount_minor": 120_00})

    assert sat.status_code == 201
    [line] = sat.json()["seats"]
    assert line["stack"]["minor"] == 120_00
    assert sat.json()["me"]["next_payment"] == 2


@pytest.mark.parametrize(
    ("stack", "sent", "sentence", "bounds"),
    [
        (None, 79_99, "Choose a stack of 80 PTS to 800 PTS.", (80_00, 800_00)),
        (80_00, 900_00, "You can add 0.01 PTS to 720 PTS to your stack.", (1, 720_00)),
        (800_00, 1, "Your stack is already the largest allowed at this table.", (0, 0)),
    ],
)
def test_amount_out_of_range_is_refused_with_its_bounds(stack, sent, sentence, bounds):
    table, player = make_points_table(), make_player()
    if stack is not None:
        post(player, table, "seats/", {"amount_minor": stack})
    path, more = ("seats/", {}) if stack is None else ("top-up/", {"no": 2})

    refused = post(player, table, path, {"amount_minor": sent} | more)

    said = refused.json()
    assert (refused.status_code, said["code"], said["message"]) == (409, "bad_stack", sentence)
    assert (said["amount_min_minor"], said["amount_max_minor"]) == bounds


def test_pool_takes_no_other_amount_than_its_entry():
    table, player = make_table(entry_minor=100_00), make_player()

    refused = post(player, table, "seats/", {"amount_minor": 120_00}).json()

    assert (refused["code"], refused["message"]) == (
        "bad_stack",
        "The entry at this table is 100 PTS.",
    )
    assert (refused["amount_min_minor"], refused["amount_max_minor"]) == (100_00, 100_00)


def test_topping_up_over_the_api_counts_once():
    table = make_points_game(stack=100_00)
    loser = seat_at(table, 2)
    play_deal(table, 0, 30)
    assert post(loser, table, "come-back/").json()["code"] == "stack_too_small"

    answers = [post(loser, table, "top-up/", {"amount_minor": 50_00, "no": 2}) for _ in range(2)]

    assert [answer.status_code for answer in answers] == [200, 200]
    assert stack_of(table, loser) == 120_00
    me = answers[1].json()["me"]
    assert (me["is_short"], me["sits_out"], me["next_payment"]) == (False, False, 3)
    conflict = post(loser, table, "top-up/", {"amount_minor": 51_00, "no": 2})
    assert conflict.json()["code"] == "top_up_conflict"


def test_sitting_out_and_coming_back_over_the_api(points_game_of_three):
    table = points_game_of_three
    seat = seat_at(table, 3)

    out = post(seat, table, "sit-out/").json()
    assert out["me"]["sits_out"]
    assert next(line for line in out["seats"] if line["is_me"])["status"] == "playing"
    play_deal(table, 0, 20, 20)
    next_deal(table)
    view = as_json(table_view(table, seat.player))
    assert next(line for line in view["seats"] if line["is_me"])["status"] == "sitting_out"
    assert view["me"]["position"] is None
    back = post(seat, table, "come-back/").json()

    assert not back["me"]["sits_out"]
    assert next(line for line in back["seats"] if line["is_me"])["status"] == "not_dealt_in"


def test_a_stranger_and_a_pool_player_have_no_stack_to_change():
    points_table, pool = make_points_game(), make_game()

    assert post(make_player(), points_table, "sit-out/").status_code == 404
    refused = post(seat_at(pool, 1), pool, "sit-out/")
    assert (refused.status_code, refused.json()["code"]) == (409, "not_in_play")


def test_a_view_of_a_points_table_shows_stacks_and_what_the_last_deal_brought():
    table = make_points_game(players=3, rake_bps=1_000)
    winner, *losers = (seat_at(table, position) for position in (1, 2, 3))
    play_deal(table, 0, 10, 25)

    view = table_view(table, losers[0].player)

    assert (view.game, view.limit, view.point_value.minor) == ("points", None, 1_00)
    stacks_seen = {line.handle: line.stack.minor for line in view.seats}
    assert stacks_seen == {
        winner.player.handle: 231_50,
        losers[0].player.handle: 190_00,
        losers[1].player.handle: 175_00,
    }
    won = {row.handle: row.won.minor for row in view.last_deal.rows}
    assert won[winner.player.handle] == 31_50
    assert won[losers[1].player.handle] == -25_00
    assert view.scores == []
    sheet = score_sheet(table, winner.player)
    assert [cell.won.minor for cell in sheet.sheet[0].cells] == [
        won[seat.handle] for seat in sheet.seats
    ]


def test_player_who_left_earlier_is_not_in_the_view(points_game_of_three):
    table = points_game_of_three
    gone = seat_at(table, 3)
    play_deal(table, 0, 20, 20)
    seating.leave(seat_id=gone.pk)
    for _ in range(2):
        next_deal(table)
        play_deal(table, 0, 20)

    view = table_view(table, None)

    assert gone.player.handle not in {line.handle for line in view.seats}
    assert len(view.last_deal.rows) == 2


def test_a_view_of_deals_rummy_shows_chips():
    table = make_game(players=3, rules=best_of(6))
    winner = seat_at(table, 3)
    move(table, 1, "drop")
    move(table, 2, "drop")
    settle(table)

    view = table_view(table, winner.player)

    assert (view.game, view.deals, view.drops_allowed) == ("deals", 6, True)
    assert sorted(line.chips for line in view.seats) == [460, 460, 520]
    assert {row.chips for row in view.last_deal.rows} == {460, 520}
    assert all(line.stack is None for line in view.seats)


def test_pages_sit_in_with_the_stack_typed(client):
    table, player = make_points_table(name="Page points"), make_player()
    client.force_login(player, backend="allauth.account.auth_backends.AuthenticationBackend")
    lobby = client.get("/lobby/")
    assert b'name="stack"' in lobby.content
    assert b'min="80.00"' in lobby.content

    wrong = client.post(f"/tables/{table.public_id}/join/", {"stack": "80.001"}, follow=True)
    client.post(f"/tables/{table.public_id}/join/", {"stack": "90.50"})

    assert b"Enter the stack as an amount" in wrong.content
    seat = Seat.objects.get(player=player)
    assert stack_of(table, seat) == 90_50
    assert client.get(f"/tables/{table.public_id}/").status_code == 200


def test_the_score_sheet_shows_money_and_chips(client):
    table = make_points_game()
    winner = seat_at(table, 1)
    play_deal(table, 0, 30)
    client.force_login(winner.player, backend="allauth.account.auth_backends.AuthenticationBackend")

    page = client.get(f"/history/{table.public_id}/")

    assert b"30 PTS" in page.content
    assert b"-30 PTS" in page.content


def test_waiting_points_table_has_no_deadline():
    table = make_points_table()
    seat = sit_in(table)

    view = table_view(table, seat.player)

    assert (view.phase, view.deadline) == (Table.Phase.WAITING, None)
    assert view.me.is_short is False
    stacks.sit_out(seat_id=seat.pk)
    view = table_view(reread(table), seat.player)
    assert view.seats[0].status == "sitting_out"
    assert (reread(table).due_at is None, view.deadline) == (False, None)
