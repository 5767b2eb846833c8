"""Deposits are requested only where cash is offered, in amounts that can be paid."""

import pytest
from django.urls import reverse

from tests.builders.people.regions import close_region, open_region
from tests.builders.wallet.cashier_desk import (
    make_deposit,
    make_depositor,
    money_of,
    press,
)
from wallet.audit.audit import row_findings
from wallet.deposits.models import Deposit
from wallet.gateways.sandbox_page import BUTTONS

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("lawful", "untaxed")]


@pytest.mark.parametrize(
    ("where", "rules", "code"),
    [
        ({"country": "IN", "region": "KA"}, {}, ""),
        ({"country": "DE", "region": ""}, {}, ""),
        ({"country": "DE", "region": "BY"}, {}, ""),
        ({"country": "IN", "region": "TN"}, {}, "cash_not_offered"),
        ({"country": "IN", "region": ""}, {}, "cash_not_offered"),
        ({"country": "", "region": ""}, {}, "place_not_given"),
        ({"country": "", "region": "KA"}, {}, "place_not_given"),
        ({"is_guest": True}, {}, "guest_account"),
        ({}, {"CASH_WIND_DOWN": True}, "cash_winding_down"),
        ({}, {"DEPOSIT_GATEWAY": ""}, "cash_not_offered"),
    ],
)
def test_cash_is_offered_only_where_it_is_listed(client, settings, where, rules, code):
    open_region("DE")
    for name, value in rules.items():
        setattr(settings, name, value)
    client.force_login(make_depositor(**where))

    answer = ask(client)

    assert (answer.status_code, answer.json().get("code", "")) == (403 if code else 201, code)
    assert Deposit.objects.exists() == (not code)


def test_deposit_page_has_no_form_where_cash_is_not_offered(client):
    close_region("IN-KA")
    client.force_login(make_depositor())

    page = client.get(reverse("start-deposit")).content.decode()

    assert ask(client).json()["code"] == "cash_not_offered"
    assert "not offered where you live" in page
    assert 'name="amount"' not in page


def ask(client, amount_minor=100_00, currency="INR"):
    return client.post(
        reverse("api-deposits"),
        {"amount_minor": amount_minor, "currency": currency},
        content_type="application/json",
        headers={"Idempotency-Key": "k"},
    )


AMOUNTS = [
    *("0", "-1", "NaN", "Infinity", "1e400", "1.005", "", "x", 1.005, None, 2**63, [], {}),
    *("1_000", "١٢", " 5 ", "1e2", 5.0, True),
]


def test_invalid_amount_or_currency_is_refused(client):
    client.force_login(make_depositor())

    for amount in AMOUNTS:
        answer = ask(client, amount)
        assert (answer.status_code, bool(answer.json()["code"])) == (400, True), amount
    for currency, status in (("PTS", 422), ("USD", 422), ("XQX", 400)):
        assert ask(client, currency=currency).status_code == status
    assert not Deposit.objects.exists()


def test_the_page_leads_to_the_gateway_and_back_to_the_credited_deposit(client):
    player = make_depositor()
    client.force_login(player)
    form = client.get(reverse("start-deposit")).context["form"]
    said = {"amount": "100.00", "key": str(form["key"].value())}

    first = client.post(reverse("start-deposit"), said)
    second = client.post(reverse("start-deposit"), said)
    state = client.get(first.url).content.decode()
    pay_url = Deposit.objects.get().pay_url
    bank = client.get(pay_url).content.decode()
    back = client.get(press(client, Deposit.objects.get(), "pay").url).content.decode()

    deposit = Deposit.objects.get()
    assert first.url == second.url == reverse("deposit", args=[deposit.public_id])
    assert pay_url in state
    assert "No real money is moved here" in bank
    assert "Paid" in back
    assert money_of(deposit)[0] == 100_00


@pytest.mark.extended
def test_no_button_of_the_sandbox_credits_more_than_was_ordered(client):
    for button in BUTTONS:
        deposit = make_deposit()
        client.force_login(deposit.player)

        for pressed in (button, button, "pay"):
            press(client, deposit, pressed)

        assert money_of(deposit)[0] in (0, 100_00), button

    assert row_findings() == ()


def test_refused_page_request_shows_the_reason_and_gets_a_new_key(client, settings):
    client.force_login(make_depositor())
    form = client.get(reverse("start-deposit")).context["form"]
    settings.DEPOSIT_GATEWAY = ""

    page = client.post(reverse("start-deposit"), {"amount": "1", "key": str(form["key"].value())})

    assert "Deposits are not available" in page.content.decode()
    assert str(page.context["form"]["key"].value()) != str(form["key"].value())


def test_a_deposit_is_its_players_own(client):
    deposit = make_deposit()
    client.force_login(make_depositor())

    for name in ("deposit", "api-deposit"):
        assert client.get(reverse(name, args=[deposit.public_id])).status_code == 404
