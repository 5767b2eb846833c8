"""The pages: who may open them, what they do, and what a refusal looks like."""

import pytest
from django.db.models import Sum
from django.urls import reverse

from tables.models.seats import Seat
from tables.models.tables import Table
from tables.seats import seating
from tables.templatetags.table_text import melds, percent
from tests.builders.tables.making import make_game, make_player, make_table
from tests.builders.tables.playing import hand_of, move, reread, seat_at
from tests.builders.tables.shared import shared
from wallet.ledger.models import Account, Transfer

# Services own their commits, so requests that reach them need real ones.
pytestmark = pytest.mark.django_db


@shared
def game():
    return make_game()


def points_of(player):
    return Account.objects.buckets_of(player).aggregate(sum=Sum("balance_minor"))["sum"]


def sign_in(client, player):
    client.force_login(player, backend="allauth.account.auth_backends.AuthenticationBackend")


def url(name, table):
    return reverse(name, args=[table.public_id])


def test_the_lobby_is_open_to_everybody_and_asks_strangers_to_sign_in(client):
    make_table(name="Evening table")

    page = client.get(reverse("lobby"))

    assert page.status_code == 200
    assert b"Evening table" in page.content
    assert b"Sign in to play" in page.content
    assert b"Join for" not in page.content


def test_a_refresh_of_the_lobby_sends_the_rows_alone(client):
    make_table(name="Evening table")

    page = client.get(reverse("lobby"), headers={"HX-Request": "true"})

    assert b"Evening table" in page.content
    assert b"<html" not in page.content


def test_joining_buys_in_and_leads_to_the_table(client):
    table, player = make_table(seats_max=3), make_player()
    before = points_of(player)
    sign_in(client, player)

    answer = client.post(url("table-join", table))

    assert answer.status_code == 302
    assert answer["Location"] == url("table", table)
    assert points_of(player) == before - 100_00
    assert Seat.objects.get().player == player


def test_joining_without_money_says_why_in_the_lobby_and_writes_nothing(client):
    table, player = make_table(entry_minor=99_999_999), make_player()
    transfers = Transfer.objects.count()
    sign_in(client, player)

    page = client.post(url("table-join", table), follow=True)

    assert page.redirect_chain == [(reverse("lobby"), 302)]
    assert b'class="note error"' in page.content
    assert Seat.objects.count() == 0
    assert Transfer.objects.count() == transfers
    assert reread(table).version == 0


def test_joining_is_no_link_to_follow(client):
    table, player = make_table(), make_player()
    sign_in(client, player)

    assert client.get(url("table-join", table)).status_code == 405
    assert Seat.objects.count() == 0


def test_leaving_before_the_start_gives_the_entry_back(client):
    table, player = make_table(seats_max=3), make_player()
    before = points_of(player)
    seating.join(table_id=table.pk, player=player)
    sign_in(client, player)

    answer = client.post(url("table-leave", table))

    assert answer["Location"] == reverse("lobby")
    assert points_of(player) == before
    assert reread(table).escrow.balance_minor == 0


def test_a_player_cannot_leave_for_another_player(client):
    table = make_table(seats_max=3)
    seating.join(table_id=table.pk, player=make_player())
    sign_in(client, make_player())

    assert client.post(url("table-leave", table)).status_code == 404
    assert Seat.objects.present().count() == 1


def test_the_table_page_contains_only_the_callers_hand(client, game):
    table = game
    me = seat_at(table, 1)
    sign_in(client, me.player)

    view = client.get(url("table", table)).context["view"]

    assert sorted(view["me"]["hand"]) == sorted(hand_of(table, 1))
    assert view["me"]["drop_points"] == 20
    assert [seat["handle"] for seat in view["seats"] if seat["is_me"]] == [me.player.handle]
    assert not any("hand" in seat for seat in view["seats"])


def test_a_drop_after_the_first_draw_is_shown_at_the_middle_price(client, game):
    table = game
    me = seat_at(table, 1)
    move(table, 1, "ds")
    move(table, 1, f"x {hand_of(table, 1)[0]}")
    move(table, 2, "ds")
    move(table, 2, f"x {hand_of(table, 2)[0]}")
    sign_in(client, me.player)

    view = client.get(url("table", table)).context["view"]

    assert view["me"]["drop_points"] == 40


def test_who_has_no_seat_watches_without_a_hand(client, game):
    table = game
    sign_in(client, make_player())

    page = client.get(url("table", table))

    assert page.context["view"]["me"] is None
    assert page.context["view_url"].endswith("/public/")


@pytest.mark.parametrize("name", ["table", "game"])
def test_who_is_not_signed_in_is_asked_to(client, name):
    table = make_table()

    answer = client.get(url(name, table))

    assert answer.status_code == 302
    assert answer["Location"].startswith(reverse("account_login"))


def test_a_score_sheet_is_for_those_who_sat_there(client, game):
    table = game
    sign_in(client, seat_at(table, 1).player)

    mine = client.get(url("game", table))
    sign_in(client, make_player())
    strangers = client.get(url("game", table))

    assert mine.status_code == 200
    assert strangers.status_code == 404


def test_the_policy_lets_no_inline_script_run_on_a_players_page(client, game):
    table = game
    me = seat_at(table, 1)
    sign_in(client, me.player)

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


def test_the_lobby_says_what_a_player_can_play_with(client):
    player = make_player()
    sign_in(client, player)

    page = client.get(reverse("lobby"))

    assert [wallet.currency for wallet in page.context["wallets"]] == ["PTS"]
    assert "10,000\xa0PTS" in page.content.decode()


def test_a_table_in_play_is_on_top_of_its_players_lobby(client, game):
    table = game
    me = seat_at(table, 1)
    sign_in(client, me.player)

    page = client.get(reverse("lobby"))

    assert [row.id for row, _ in page.context["running"]] == [table.public_id]
    assert reread(table).phase == Table.Phase.PLAYING
