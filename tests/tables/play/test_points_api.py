"""Points and deals tables in the API and on pages."""

import pytest

from core.api.openapi import as_json
from tables.history.games import score_sheet
from tables.lobby.offers import lobby_rows
from tables.models.seats import Seat
from tables.models.tables import Table
from tables.seats import seating, stacks
from tables.view.table_view import table_view
from tests.builders.api import api_client
from tests.builders.tables.making import make_game, make_player, make_table
from tests.builders.tables.playing import deal_at, reread, seat_at
from tests.builders.tables.points_tables import (
    make_points_game,
    make_points_table,
    next_deal,
    play_deal,
    sit_in,
    stack_of,
)
from tests.builders.wallet.players import books

pytestmark = pytest.mark.django_db


def post(seat_or_player, table, rest, body=None):
    player = getattr(seat_or_player, "player", seat_or_player)
    url = f"/api/v1/tables/{table.public_id}/{rest}"
    return api_client(player).post(url, body or {}, "json")


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


OF_A_STACK = "Choose a stack of 80 PTS to 800 PTS.", (80_00, 800_00)


@pytest.mark.parametrize(
    ("stack", "sent", "sentence", "bounds"),
    [
        (None, 79_99, *OF_A_STACK),
        (None, 800_01, *OF_A_STACK),
        (80_00, 900_00, "You can add 0.01 PTS to 720 PTS to your stack.", (1, 720_00)),
        (800_00, 1, "Your stack is already the largest allowed at this table.", (0, 0)),
        ("pool", 120_00, "The entry at this table is 100 PTS.", (100_00, 100_00)),
    ],
)
def test_amount_out_of_range_is_refused_with_its_bounds(stack, sent, sentence, bounds):
    table, player = make_table() if stack == "pool" else make_points_table(), make_player()
    path, more = "seats/", {}
    if isinstance(stack, int):
        path, more = "top-up/", {"no": 2}
        sat = post(player, table, "seats/", {"amount_minor": stack}).json()
        assert (sat["seats"][0]["stack"]["minor"], sat["me"]["next_payment"]) == (stack, 2)
    before = books()

    refused = post(player, table, path, {"amount_minor": sent} | more)

    said = refused.json()
    assert (refused.status_code, said["code"], said["message"]) == (409, "bad_stack", sentence)
    assert (said["amount_min_minor"], said["amount_max_minor"]) == bounds
    assert books() == before


def test_sitting_out_and_coming_back_over_the_api(points_game_of_three):
    table = points_game_of_three
    seat = seat_at(table, 3)

    out = [post(seat, table, "sit-out/").json() for _ in range(2)][1]
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
    play_deal(table, 0, 20)
    assert deal_at(next_deal(table)).deal_seats.filter(seat=seat).exists()


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


def test_pages_sit_in_with_the_stack_typed(client):
    table, player = make_points_table(name="Page points"), make_player()
    client.force_login(player)
    lobby = client.get("/lobby/")
    assert b'name="stack"' in lobby.content
    assert b'min="80.00"' in lobby.content

    wrong = client.post(f"/tables/{table.public_id}/join/", {"stack": "80.001"}, follow=True)
    client.post(f"/tables/{table.public_id}/join/", {"stack": "90.50"})

    assert b"Enter the stack as an amount" in wrong.content
    seat = Seat.objects.get(player=player)
    assert stack_of(table, seat) == 90_50
    assert client.get(f"/tables/{table.public_id}/").status_code == 200


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
