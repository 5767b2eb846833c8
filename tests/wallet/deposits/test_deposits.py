"""Deposits: requested where cash is offered, and credited once in any order of events."""

import json
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from django.db import transaction
from django.urls import reverse

from tests.builders.people.regions import open_region
from tests.builders.processes.threads import at_once
from tests.builders.processes.waiting import sessions_that_wait, until
from tests.builders.wallet.cashier_desk import (
    make_deposit,
    make_depositor,
    money_of,
    order,
    press,
    send,
    tell,
)
from tests.builders.wallet.players import make_player
from wallet.audit.audit import row_findings
from wallet.deposits import suspense
from wallet.deposits.models import Deposit, GatewayEvent, StaffTask
from wallet.exceptions import OrderUnknown
from wallet.gateways.sandbox_page import BUTTONS, FAILED, Sent, event_bodies

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("lawful", "untaxed")]


LESS, MORE = Sent(surplus_minor=-100), Sent(surplus_minor=100)
PAID, SECOND = Sent(), Sent(payment=2)


@pytest.mark.parametrize(
    ("events", "outcomes", "status", "held", "task"),
    [
        # What the player, the suspense account and the clearing account hold.
        ([PAID, PAID, PAID], ["credited", "ignored", "ignored"], "paid", (100, 0, -100), None),
        ([Sent(FAILED, 0)], ["failed"], "failed", (0, 0, 0), None),
        ([Sent(FAILED, 0), PAID], ["failed", "credited"], "paid", (100, 0, -100), None),
        ([PAID, Sent(FAILED, 0)], ["credited", "ignored"], "paid", (100, 0, -100), None),
        (
            [Sent(FAILED, 0), Sent(FAILED, 2), PAID],
            ["failed", "ignored", "credited"],
            "paid",
            (100, 0, -100),
            None,
        ),
        ([LESS, LESS], ["suspense", "ignored"], "checking", (0, 99, -99), "other_amount"),
        ([MORE, MORE], ["suspense", "ignored"], "checking", (0, 101, -101), "other_amount"),
        ([PAID, SECOND], ["credited", "suspense"], "paid", (100, 100, -200), "paid_twice"),
    ],
)
def test_events_in_any_order_credit_an_order_once(events, outcomes, status, held, task):
    deposit = make_deposit()

    assert tell(deposit, *events) == outcomes

    deposit.refresh_from_db()
    assert deposit.status == status
    assert money_of(deposit) == [rupees * 100 for rupees in held]
    assert [one.kind for one in StaffTask.objects.filter(done_at=None)] == ([task] if task else [])
    assert row_findings() == ()


def test_a_second_event_about_one_payment_changes_nothing():
    deposit = make_deposit()
    [body] = event_bodies(order(deposit), [Sent()])
    send(body)

    again = send(json.dumps(json.loads(body) | {"id": "evt_other"}).encode())

    assert again == "ignored"
    assert money_of(deposit) == [100_00, 0, -100_00]
    assert GatewayEvent.objects.count() == 2


@pytest.mark.django_db(transaction=True)
def test_two_payments_of_one_order_at_once_are_a_credit_and_money_in_suspense():
    deposit = make_deposit()
    bodies = event_bodies(order(deposit), [Sent(), Sent(payment=2)])

    with ThreadPoolExecutor(1) as beside:
        with transaction.atomic():
            Deposit.objects.locked().get(pk=deposit.pk)
            outcomes = beside.submit(at_once, [partial(send, body) for body in bodies])
            until(lambda: sessions_that_wait() == 2)
        said = sorted(map(str, outcomes.result()))

    assert said == ["credited", "suspense"]
    assert money_of(deposit) == [100_00, 100_00, -200_00]
    assert row_findings() == ()


def test_payment_for_an_unknown_order_is_kept_in_suspense_and_not_placed():
    deposit = make_deposit()
    unknown = order(deposit) | {"order": "order_nobodys"}

    [outcome] = [send(body) for body in event_bodies(unknown, [Sent()])]

    assert outcome == "suspense"
    assert money_of(deposit) == [0, 100_00, -100_00]
    task = StaffTask.objects.get(deposit=None)
    with pytest.raises(OrderUnknown):
        suspense.place_payment(task_id=task.pk, by=make_player(is_staff=True))


@pytest.mark.django_db(transaction=True)
def test_event_delivered_concurrently_credits_once():
    deposit = make_deposit()
    [body] = event_bodies(order(deposit), [Sent()])

    outcomes = at_once([lambda: send(body)] * 4)

    assert sorted(map(str, outcomes)) == ["credited", "ignored", "ignored", "ignored"]
    assert send(body) == "ignored"
    assert money_of(deposit) == [100_00, 0, -100_00]
    assert GatewayEvent.objects.count() == 1


def test_different_message_under_a_known_reference_is_another_event():
    """References may be unsigned; a forged one must not suppress a payment."""
    first, second = make_deposit(), make_deposit()
    [[one], [two]] = [event_bodies(order(each), [PAID]) for each in (first, second)]
    stolen = json.dumps(json.loads(two) | {"id": json.loads(one)["id"]}).encode()

    outcomes = [str(send(body)) for body in (one, stolen, stolen)]

    assert outcomes == ["credited", "credited", "ignored"]


@pytest.mark.parametrize(
    ("where", "rules", "code"),
    [
        ({"country": "DE", "region": ""}, {}, ""),
        ({"country": "DE", "region": "BY"}, {}, ""),
        ({"country": "IN", "region": ""}, {}, "cash_not_offered"),
        ({"country": "", "region": "KA"}, {}, "place_not_given"),
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
