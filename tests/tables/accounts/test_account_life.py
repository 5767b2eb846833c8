"""An account's life: its page, e-mail and password, sessions, own data, and its end."""

import json

import pytest
from allauth.account.models import EmailAddress
from django.test import Client
from django.urls import reverse

from players.accounts.models import User
from players.limits.own_limits import set_own_limit
from tables.accounts import closure as account_closure
from tables.exceptions import GamesLeft, MoneyLeft
from tables.models.seats import Seat
from tables.responsible.verdicts import TABLES
from tables.seats import seating
from tests.builders.tables.making import make_player, make_table
from tests.builders.tables.offers import make_practice
from wallet.audit.audit import row_findings
from wallet.ledger import accounts, posting
from wallet.ledger.models import Account, Entry, Transfer
from wallet.ledger.money import as_money

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("fresh_cache")]
PASSWORD = "a long enough pass phrase"


@pytest.fixture
def player():
    return make_player(handle="asha", email="asha@example.com", password=PASSWORD)


def sign_in(client, password=PASSWORD):
    form = {"login": "asha@example.com", "password": password}
    client.post(reverse("account_login"), form)
    return "_auth_user_id" in client.session


def close(client):
    anew = {"password": PASSWORD, "next": reverse("account-close")}
    client.post(reverse("account_reauthenticate"), anew)
    return client.post(reverse("account-close"), follow=True)


def test_players_change_only_their_language_and_time_zone(client, player):
    sign_in(client)
    form = {"language": "en", "time_zone": "Europe/Berlin", "handle": "boss", "country": "DE"}

    page = client.post(reverse("account"), form, follow=True)
    for wrong in ({"time_zone": "Mars/Base"}, {"language": "xx"}):
        assert (
            "not one of the available choices" in client.post(reverse("account"), form | wrong).text
        )

    assert b"Saved." in page.content
    player.refresh_from_db()
    assert (player.time_zone, player.handle, player.country) == ("Europe/Berlin", "asha", "")


def test_account_pages_use_the_site_layout(client, player):
    sign_in(client)

    for name in (
        "account",
        "account_email",
        "account_change_password",
        "usersessions_list",
        "mfa_index",
        "account-close",
    ):
        page = client.get(reverse(name), follow=True).content.decode()

        assert 'class="bar"' in page, name
        assert "site.css" in page, name
        assert "style=" not in page, name


def test_own_data_have_profile_limits_games_and_every_entry(client, player):
    make_table(bots_fill=True)
    seating.join(table_id=make_table().pk, player=player)
    other = make_player()
    set_own_limit(player=player, scope=TABLES, most=2, is_proved=True)
    sign_in(client)

    answer = client.get(reverse("account-export"))

    data = json.loads(answer.content)
    kept = [(each["kind"], each["amount_minor"], each["number"]) for each in data["limits"]]
    assert kept == [("tables", None, 2)]
    assert data["profile"]["email"] == "asha@example.com"
    mine = Entry.objects.filter(account__player=player)
    assert [row["amount_minor"] for row in data["statement"]] == [-100_00, 10_000_00]
    assert len(data["statement"]) == mine.count()
    assert other.handle not in answer.content.decode()
    assert "attachment" in answer["Content-Disposition"]
    assert Client().get(reverse("account-export")).status_code == 302


def test_closed_account_loses_its_name_and_keeps_its_ledger(client, player):
    there = Client()
    assert sign_in(client)
    assert sign_in(there)
    rows = Transfer.objects.count()

    page = close(client)

    assert b"Your account is closed" in page.content
    closed = User.objects.get(pk=player.pk)
    assert not closed.is_active
    assert closed.handle.startswith("closed_")
    assert "asha" not in closed.email
    assert not EmailAddress.objects.filter(user=player).exists()
    assert there.get(reverse("account")).status_code == 302
    assert not sign_in(Client())
    assert Transfer.objects.count() == rows
    assert Account.objects.get(player=player, kind="deposit").balance_minor == 10_000_00
    assert row_findings() == ()


def test_account_with_a_running_game_is_not_closed(client, player):
    seat = seating.join(table_id=make_table(seats_max=3).pk, player=player)
    with pytest.raises(GamesLeft):
        account_closure.close_account(player_id=player.pk)
    player.refresh_from_db()
    assert (player.is_active, player.handle) == (True, "asha")

    seating.leave(seat_id=seat.pk)

    assert not account_closure.close_account(player_id=player.pk).is_active


def test_account_with_money_is_not_closed(client, player):
    mine = accounts.open_player_accounts(player=player, currency="INR")
    operator = accounts.operator_account(kind=Account.Kind.PROMOTIONS, currency="INR")
    rupee = as_money(100, "INR")
    posting.post(
        key="test:rupee",
        kind=Transfer.Kind.GRANT,
        entries=[(operator, -rupee), (mine[Account.Kind.WINNINGS], rupee)],
        memo="",
        actor="test",
    )
    sign_in(client)

    page = close(client)

    assert b"Withdraw it first" in page.content
    with pytest.raises(MoneyLeft):
        account_closure.close_account(player_id=player.pk)
    player.refresh_from_db()
    assert player.is_active


def test_guest_is_asked_to_keep_the_account_instead_of_closing_it(client):
    make_practice()
    client.post(reverse("play-now"))

    answer = client.post(reverse("account-close"), {"password": ""})

    assert answer["Location"] == reverse("account-keep")
    assert User.objects.get(is_guest=True).is_active
    assert Seat.objects.count() == 1
    assert b"works in this browser only" in client.get(reverse("account")).content
