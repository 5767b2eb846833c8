"""Pages of tables: permissions, actions and refusals."""

import re
from pathlib import Path

import pytest
from django.urls import reverse
from django.utils import translation
from moneyed import Money
from rest_framework.test import APIClient

from tables.models.seats import Seat
from tables.models.tables import Table
from tables.play.running import running_games
from tables.seats import seating
from tables.templatetags.table_text import melds, percent
from tests.builders.processes.product import CHECKOUT
from tests.builders.tables.deals import take_turn
from tests.builders.tables.making import make_game, make_player, make_table
from tests.builders.tables.playing import hand_of, move, reread, seat_at
from tests.builders.tables.pools import make_pool, make_rich_player, score, seat_no
from tests.builders.tables.shared import shared
from tests.builders.wallet.players import points_of

pytestmark = pytest.mark.django_db


@shared
def game():
    return make_game()


def url(name, table):
    return reverse(name, args=[table.public_id])


def test_lobby_offers_visitors_a_game_as_guest_and_refreshes_only_its_rows(client):
    make_table(name="Evening table")

    page = client.get(reverse("lobby"))

    assert page.status_code == 200
    assert b"Evening table" in page.content
    assert b"Play as guest" in page.content
    assert b"Join for" not in page.content
    assert b"Sign in to play" not in page.content
    rows = client.get(reverse("lobby"), headers={"HX-Request": "true"})
    assert b"Evening table" in rows.content
    assert b"<html" not in rows.content


def test_joining_pays_the_entry_and_leaving_before_the_start_returns_it(client):
    table, player = make_table(seats_max=3), make_player()
    before = points_of(player)
    client.force_login(player)

    joined = client.post(url("table-join", table))
    assert joined["Location"] == url("table", table)
    assert points_of(player) == before - 100_00
    left = client.post(url("table-leave", table))

    assert left["Location"] == reverse("lobby")
    assert points_of(player) == before


def test_a_player_cannot_leave_for_another_player(client):
    table = make_table(seats_max=3)
    seating.join(table_id=table.pk, player=make_player())
    client.force_login(make_player())

    assert client.post(url("table-leave", table)).status_code == 404
    assert Seat.objects.present().count() == 1


def test_table_page_contains_only_the_callers_hand(client, game):
    me = seat_at(game, 1)
    client.force_login(me.player)
    view = client.get(url("table", game)).context["view"]
    client.force_login(make_player())
    watched = client.get(url("table", game)).context

    assert sorted(view["me"]["hand"]) == sorted(hand_of(game, 1))
    assert [seat["handle"] for seat in view["seats"] if seat["is_me"]] == [me.player.handle]
    assert not any("hand" in seat for seat in view["seats"])
    assert watched["view"]["me"] is None
    assert watched["view_url"].endswith("/public/")


def test_drop_after_the_first_draw_is_shown_at_the_middle_price(client, game):
    client.force_login(seat_at(game, 1).player)
    prices = [client.get(url("table", game)).context["view"]["me"]["drop_points"]]
    for position in (1, 2):
        move(game, position, "ds")
        move(game, position, f"x {hand_of(game, position)[0]}")
    prices.append(client.get(url("table", game)).context["view"]["me"]["drop_points"])

    assert prices == [20, 40]


def test_the_policy_lets_no_inline_script_run_on_a_players_page(client, game):
    table = game
    me = seat_at(table, 1)
    client.force_login(me.player)

    page = client.get(url("table", table))

    assert "script-src 'self';" in page["Content-Security-Policy"] + ";"
    assert "style-src 'self';" in page["Content-Security-Policy"] + ";"
    assert b" style=" not in page.content
    assert b"onclick" not in page.content


def test_an_arrangement_is_shown_group_by_group():
    shown = [
        (kind, [(face.rank, face.is_red, face.is_joker) for face in faces])
        for kind, faces in melds("TH JH PJ / 9C")
    ]

    assert shown == [
        ("meld", [("10", True, False), ("J", True, False), ("P", False, True)]),
        ("deadwood", [("9", False, False)]),
    ]


@pytest.mark.parametrize(("bps", "shown"), [(0, "0"), (250, "2.5"), (1000, "10"), (1, "0.01")])
def test_rake_is_shown_as_a_percentage(bps, shown):
    assert percent(bps) == shown


def test_lobby_shows_the_balance_and_the_running_games_first(client, game):
    client.force_login(make_player())
    page = client.get(reverse("lobby"))
    client.force_login(seat_at(game, 1).player)
    running = client.get(reverse("lobby")).context["running"]

    assert page.context["purse"] == [Money(10_000, "PTS")]
    assert "10,000\xa0PTS" in page.content.decode()
    assert [row.id for row, _ in running] == [game.public_id]


@pytest.mark.parametrize("is_guest", [True, False])
def test_end_of_a_game_offers_guests_to_keep_their_account(client, is_guest):
    fields = {"is_guest": True, "email": None} if is_guest else {}
    table, player = make_table(), make_player(time_zone="Pacific/Kiritimati", **fields)
    seating.join(table_id=table.pk, player=player)
    client.force_login(player)

    finale = client.get(url("table", table)).content.decode().partition('id="finale"')[2]

    assert (reverse("account-keep") in finale.partition("</section>")[0]) == is_guest
    assert 'data-zone="Pacific/Kiritimati"' in finale


SCRIPTS = CHECKOUT / "static/js"


def imported(script: Path, found: set[Path]) -> set[Path]:
    """Return the modules a script imports, directly or not."""
    for path in re.findall(r'(?:from|import) "(\.[\w./]+\.js)"', script.read_text()):
        module = (script.parent / path).resolve()
        if module not in found:
            found.add(module)
            imported(module, found)
    return found


def test_page_preloads_every_module_that_the_table_imports() -> None:
    page = (CHECKOUT / "templates/tables/_modules.html").read_text()

    preloaded = {SCRIPTS / path for path in re.findall(r"js/([\w/]+\.js)", page)}

    assert len(preloaded) > 5
    assert preloaded == imported(SCRIPTS / "table/main.js", set())


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
