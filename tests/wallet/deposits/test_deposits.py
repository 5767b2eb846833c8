"""An order is credited once, however often it is reported, in any order of events."""

import json
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from django.db import transaction

from tests.builders.processes.threads import at_once
from tests.builders.processes.waiting import sessions_that_wait, until
from tests.builders.wallet.cashier_desk import (
    make_deposit,
    money_of,
    order,
    send,
    tell,
)
from tests.builders.wallet.players import make_player
from wallet.audit.audit import row_findings
from wallet.deposits import suspense
from wallet.deposits.models import Deposit, GatewayEvent, StaffTask
from wallet.exceptions import OrderUnknown
from wallet.gateways.sandbox_page import FAILED, Sent, event_bodies

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
