"""The cashier's navigation and buttons that fill in forms."""

import pytest
from django.urls import reverse

from tests.builders.people.regions import close_region, open_region
from tests.builders.wallet.payout_desk import payee_for
from tests.builders.wallet.players import fund, make_player
from wallet.cashier.pages import quick_amounts
from wallet.ledger.money import as_money

pytestmark = pytest.mark.django_db

PAY_IN, WITHDRAW = reverse("start-deposit"), reverse("start-withdrawal")


def wallet_page(client, **player):
    client.force_login(who := make_player(**player))
    return who, client.get(reverse("wallet")).text


def test_the_cashier_is_hidden_where_cash_is_not_offered(client):
    open_region("IN-KA")

    _, here = wallet_page(client, country="IN", region="KA")
    _, elsewhere = wallet_page(client, country="IN", region="TN")

    assert (PAY_IN in here, WITHDRAW in here) == (True, True)
    assert (PAY_IN in elsewhere, WITHDRAW in elsewhere) == (False, False)


def test_withdrawal_is_offered_where_deposits_are_not(client):
    close_region("IN-KA")
    player = make_player()
    fund(player, winnings=5_00)
    client.force_login(player)

    page = client.get(reverse("wallet")).text

    assert (PAY_IN in page, WITHDRAW in page) == (False, True)
    assert PAY_IN not in client.get(reverse("deposits")).text


def test_player_without_birth_date_is_shown_the_deposit_link(client):
    open_region("IN")

    _, page = wallet_page(client, country="IN", birth_date=None)

    assert PAY_IN in page


def test_forms_have_buttons_for_quick_amounts(client):
    open_region("IN-KA")
    player = make_player(country="IN", region="KA")
    fund(player, deposit=50_00, winnings=150_00)
    payee_for(player)
    client.force_login(player)

    urls = (reverse("deposit-limits"), WITHDRAW, reverse("start-deposit"))
    limits, withdrawal, deposit = (client.get(url).text for url in urls)

    assert 'data-amount="1000"' in limits
    assert 'data-amount="100">₹100<' in withdrawal
    assert 'data-amount="200.00">Max<' in withdrawal
    assert 'data-amount="1000">₹1,000<' in deposit
    assert "Max<" not in deposit


def test_quick_amounts_are_round_sums_up_to_the_most():
    assert quick_amounts(as_money(500_00, "INR"), "INR") == [("₹100", "100"), ("₹500", "500")]
    labels = [label for label, _ in quick_amounts(None, "INR")]
    assert labels == ["₹100", "₹500", "₹1,000", "₹5,000"]
    assert quick_amounts(as_money(0, "INR"), "INR") == []
