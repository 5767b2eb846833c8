"""The wind-down page: amounts owed to players by place."""

import pytest
from django.urls import reverse
from moneyed import Money

from players.eligibility.places.models import Offer
from tables.accounts.own_data import own_data
from tables.seats import seating
from tests.builders.people.regions import open_region
from tests.builders.staff.people import a_person
from tests.builders.tables.making import make_table
from tests.builders.wallet.cashier_desk import make_depositor
from tests.builders.wallet.payout_desk import payee_for
from tests.builders.wallet.players import fund, give_bonus
from wallet.stakes.balances import wallet_of
from wallet.wind_down.report import owed_in_wind_down
from wallet.withdrawals import withdrawals

pytestmark = pytest.mark.django_db


def a_player_with_money(region):
    player = make_depositor(region=region)
    fund(player, deposit=500_00, winnings=300_00)
    return player


def test_wind_down_page_shows_the_wallets_of_players_by_place():
    open_region("IN-KA")
    asha, bina, _elsewhere = (a_player_with_money(region) for region in ("KA", "KA", "MH"))
    open_region("IN-MH")
    give_bonus(asha, Money(50, "INR"))
    seating.join(table_id=make_table(currency="INR").pk, player=asha)
    withdrawals.request_withdrawal(
        player=bina, amount=Money(100, "INR"), payee=payee_for(bina), requested_by=bina
    )
    assert list(owed_in_wind_down("INR")) == []

    open_region("IN-KA", Offer.WIND_DOWN)

    [row] = owed_in_wind_down("INR")
    mine = [wallet for player in (asha, bina) for wallet in wallet_of(player)]
    mine = [wallet for wallet in mine if wallet.currency == "INR"]
    assert (row.place, row.offer, row.players) == ("Karnataka, India", Offer.WIND_DOWN, 2)
    assert row.wallets == sum((each.deposit + each.winnings for each in mine), Money(0, "INR"))
    assert row.withdrawals == Money(100, "INR")
    assert row.in_games == mine[0].in_games > Money(0, "INR")
    assert row.bonuses == sum((each.bonus for each in mine), Money(0, "INR"))
    open_region("IN-MH", Offer.PROHIBITED)
    assert {each.place for each in owed_in_wind_down("INR")} == {
        "Karnataka, India",
        "Maharashtra, India",
    }


def test_players_under_a_withdrawn_and_a_present_code_are_one_place():
    under_old, _present = (a_player_with_money(region) for region in ("OR", "OD"))
    a_player_with_money("TN")

    found = [(row.place, row.players, row.wallets) for row in owed_in_wind_down("INR")]

    assert found == [
        ("Odisha, India", 2, Money(1_600, "INR")),
        ("Tamil Nadu, India", 1, Money(800, "INR")),
    ]
    assert own_data(under_old)["profile"]["region"] == "OD"


def test_wind_down_page_needs_the_ledger_permission(client):
    a_player_with_money("TN")
    client.force_login(a_person("Finance"))

    page = client.get(reverse("wind-down"))

    assert "Tamil Nadu, India" in page.content.decode()
    assert "₹800.00" in page.content.decode()
    client.force_login(a_person("Identity"))
    assert client.get(reverse("wind-down")).status_code == 403
