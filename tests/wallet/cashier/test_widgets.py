"""Pages of the cashier and of the site: what is offered where, links, and quick amounts."""

import pytest
from django.urls import reverse

from tests.builders.people.regions import close_region, open_region
from tests.builders.wallet.payout_desk import payee_for
from tests.builders.wallet.players import fund, make_player
from wallet.cashier.pages import SITE_PAGES, quick_amounts
from wallet.ledger.money import as_money

pytestmark = pytest.mark.django_db

PAY_IN, WITHDRAW = reverse("start-deposit"), reverse("start-withdrawal")


@pytest.mark.parametrize(
    ("place", "player", "pays_in", "withdraws"),
    [
        ("IN-KA", {"country": "IN", "region": "KA"}, True, True),
        ("IN-KA", {"country": "IN", "region": "TN"}, False, False),
        ("IN", {"country": "IN", "birth_date": None}, True, True),
    ],
)
def test_wallet_page_offers_the_cashier_where_cash_is_offered(
    client, place, player, pays_in, withdraws
):
    open_region(place)
    client.force_login(make_player(**player))

    page = client.get(reverse("wallet")).text

    assert (PAY_IN in page, WITHDRAW in page) == (pays_in, withdraws)


def test_withdrawal_is_offered_where_deposits_are_not(client):
    close_region("IN-KA")
    player = make_player()
    fund(player, winnings=5_00)
    client.force_login(player)

    page = client.get(reverse("wallet")).text

    assert (PAY_IN in page, WITHDRAW in page) == (False, True)
    assert PAY_IN not in client.get(reverse("deposits")).text


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


@pytest.mark.parametrize("language", ["en", "hi"])
def test_the_foot_of_a_page_leads_to_each(client, language):
    client.cookies["django_language"] = language

    for name in (*SITE_PAGES, "contact"):
        page = client.get(reverse(name))

        assert page.status_code == 200
        assert page.text.count('<section class="panel"') > 1
        assert all(f'href="{reverse(each)}"' in page.text for each in SITE_PAGES)


def test_contact_address_is_a_setting(client, settings):
    settings.CONTACT_EMAIL = ""
    assert "mailto:" not in client.get(reverse("contact")).text

    settings.CONTACT_EMAIL = "help@rummy.example"
    assert 'href="mailto:help@rummy.example"' in client.get(reverse("contact")).text


def test_the_figures_are_the_sites_own(client, settings):
    settings.WITHDRAWAL_WAIT_HOURS = {"requested": 5, "approved": 7}

    assert "within 5 hours and paid within 7 hours" in client.get(reverse("help")).text
    assert "players of 18 or older" in client.get(reverse("terms")).text
    assert "only after 24 hours" in client.get(reverse("responsible-play")).text
