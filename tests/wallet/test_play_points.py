"""Play points come from the house, once, and never turn into money."""

import pytest
from django.urls import reverse
from moneyed import Money

from players.models import User
from tests.wallet.builders import balances, books, fund, make_player
from wallet.models import Account, Transfer
from wallet.services import accounts, play_points

pytestmark = pytest.mark.django_db


def points_of(player):
    return accounts.open_player_accounts(player=player, currency="PTS")


def test_a_new_player_is_welcomed_once():
    player = make_player()

    first = play_points.grant_sign_up(player=player)
    again = play_points.grant_sign_up(player=player)

    promotions = accounts.house_account(kind=Account.Kind.PROMOTIONS, currency="PTS")
    assert (first.key, again.pk) == (f"grant:signup:{player.pk}", first.pk)
    assert balances(points_of(player)["deposit"], promotions) == [10_000_00, -10_000_00]


def test_the_welcome_is_a_setting(settings):
    settings.PLAY_POINTS_SIGN_UP = 25_00
    player = make_player()

    play_points.grant_sign_up(player=player)

    assert balances(points_of(player)["deposit"]) == [25_00]


def test_signing_up_brings_the_welcome(client):
    fields = {
        "email": "new@example.com",
        "handle": "newcomer",
        "password1": "a long enough pass phrase",
    }

    response = client.post(reverse("account_signup"), fields)

    assert response.status_code == 302
    player = User.objects.get(handle="newcomer")
    assert balances(points_of(player)["deposit"]) == [10_000_00]
    assert Transfer.objects.get().memo == "Welcome"


def test_a_refused_sign_up_leaves_no_points(client):
    response = client.post(
        reverse("account_signup"),
        {"email": "new@example.com", "handle": "x", "password1": "a long enough pass phrase"},
    )

    assert response.status_code == 200
    assert books() == (0, 0, 0)


def test_a_bot_is_topped_up_to_what_it_needs():
    bot = make_player(is_bot=True, email=None)
    fund(bot, currency="PTS", deposit=30_00, winnings=20_00)

    granted = play_points.ensure_points(player=bot, at_least=Money(100, "PTS"))
    again = play_points.ensure_points(player=bot, at_least=Money(100, "PTS"))

    assert (granted.kind, again) == ("grant", None)
    assert balances(points_of(bot)["deposit"], points_of(bot)["winnings"]) == [80_00, 20_00]


def test_nobody_is_given_money():
    with pytest.raises(AssertionError):
        play_points.ensure_points(player=make_player(), at_least=Money(1, "INR"))

    assert books() == (0, 0, 0)
