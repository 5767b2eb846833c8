"""An order is credited once, however often it is reported, in any order of events."""

import json
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from django.db import connection, transaction

from tests.builders.processes.threads import at_once
from tests.builders.processes.waiting import sessions_that_wait, until
from tests.builders.wallet.cashier_desk import (
    make_deposit,
    money_of,
    order,
    send,
    tell,
)
from tests.builders.wallet.players import books
from wallet.audit.audit import row_findings
from wallet.deposits.models import Deposit, GatewayEvent, StaffTask
from wallet.gateways.sandbox_page import FAILED, Sent, event_bodies

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("lawful", "untaxed")]


def test_a_paid_order_is_credited_to_the_deposit_bucket():
    deposit = make_deposit()

    outcomes = tell(deposit, Sent())

    deposit.refresh_from_db()
    assert outcomes == ["credited"]
    assert (deposit.status, deposit.transfer.kind) == ("paid", "deposit")
    assert money_of(deposit) == [100_00, 0, -100_00]
    assert row_findings() == ()


@pytest.mark.parametrize(
    ("events", "outcomes", "status"),
    [
        ([Sent(), Sent(), Sent()], ["credited", "ignored", "ignored"], "paid"),
        ([Sent(FAILED, 0), Sent()], ["failed", "credited"], "paid"),
        ([Sent(), Sent(FAILED, 0)], ["credited", "ignored"], "paid"),
        ([Sent(FAILED, 0), Sent(FAILED, 2), Sent()], ["failed", "ignored", "credited"], "paid"),
    ],
)
def test_events_in_any_order_and_number_credit_once(events, outcomes, status):
    deposit = make_deposit()

    assert tell(deposit, *events) == outcomes

    deposit.refresh_from_db()
    assert deposit.status == status
    assert money_of(deposit) == [100_00, 0, -100_00]


def test_a_second_event_about_one_payment_changes_nothing():
    deposit = make_deposit()
    [body] = event_bodies(order(deposit), [Sent()])
    send(body)

    again = send(json.dumps(json.loads(body) | {"id": "evt_other"}).encode())

    assert again == "ignored"
    assert money_of(deposit) == [100_00, 0, -100_00]
    assert GatewayEvent.objects.count() == 2


def test_a_declined_order_moves_nothing_and_can_still_be_paid():
    before = books()
    deposit = make_deposit()

    assert tell(deposit, Sent(FAILED)) == ["failed"]

    deposit.refresh_from_db()
    assert deposit.status == "failed"
    assert books() == before


@pytest.mark.parametrize("surplus", [-100, 100])
def test_payment_of_another_amount_goes_to_suspense_with_a_staff_task(surplus):
    deposit = make_deposit()

    outcomes = tell(deposit, Sent(surplus_minor=surplus), Sent(surplus_minor=surplus))

    deposit.refresh_from_db()
    assert outcomes == ["suspense", "ignored"]
    assert deposit.status == "checking"
    assert money_of(deposit) == [0, 100_00 + surplus, -100_00 - surplus]
    task = StaffTask.objects.get()
    assert (task.kind, task.deposit, task.done_at) == ("other_amount", deposit, None)
    assert row_findings() == ()


def test_an_order_paid_twice_is_credited_once_and_the_rest_is_suspense():
    deposit = make_deposit()

    assert tell(deposit, Sent(), Sent(payment=2)) == ["credited", "suspense"]

    assert money_of(deposit) == [100_00, 100_00, -200_00]
    assert StaffTask.objects.get().kind == "paid_twice"


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


def test_a_payment_for_an_unknown_order_is_kept_in_suspense():
    deposit = make_deposit()
    unknown = order(deposit) | {"order": "order_nobodys"}

    [outcome] = [send(body) for body in event_bodies(unknown, [Sent()])]

    assert outcome == "suspense"
    assert money_of(deposit) == [0, 100_00, -100_00]
    assert StaffTask.objects.get().deposit is None


@pytest.mark.django_db(transaction=True)
def test_event_delivered_concurrently_many_times_credits_once():
    deposit = make_deposit()
    [body] = event_bodies(order(deposit), [Sent()])

    outcomes = at_once([lambda: send(body)] * 4)

    later = {str(send(body)) for _ in range(96)}

    assert sorted(map(str, outcomes)) == ["credited", "ignored", "ignored", "ignored"]
    assert later == {"ignored"}
    assert money_of(deposit) == [100_00, 0, -100_00]
    assert GatewayEvent.objects.count() == 1


def test_credited_order_stays_paid(owner):
    deposit = make_deposit()
    tell(deposit, Sent())

    with owner(), pytest.raises(Exception, match="is credited"), transaction.atomic():
        connection.cursor().execute("UPDATE wallet_deposit SET status = 'created'")


def test_audit_finds_a_credit_that_differs_from_its_order(owner):
    deposit = make_deposit()
    tell(deposit, Sent())
    with owner(), connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED")
        cursor.execute("SET session_replication_role = replica")
        cursor.execute("UPDATE wallet_deposit SET amount_minor = amount_minor + 1")
        cursor.execute("SET session_replication_role = DEFAULT")
    deposit.refresh_from_db()

    found = {(finding.check, finding.subject) for finding in row_findings()}

    assert found == {
        ("deposit_uncredited", f"deposit {deposit.pk}"),
        ("deposit_without_event", f"deposit {deposit.pk}"),
        ("transfer_without_document", f"transfer {deposit.transfer_id}"),
        ("row_rewritten", f"wallet_deposit {deposit.pk}"),
    }
