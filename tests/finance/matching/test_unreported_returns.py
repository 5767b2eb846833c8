"""Refunds and lost disputes of a settlement are booked without a gateway event."""

from __future__ import annotations

from functools import partial

import pytest

from finance.matching.gateways import returns
from finance.matching.gateways.returns import unreported
from players.exceptions import SharedInterest
from tests.builders.books.settlements import (
    approve_settlement,
    ask_for,
    settled_line,
    settlement_file,
)
from tests.builders.processes.threads import at_once
from tests.builders.wallet.cashier_desk import order, tell
from tests.builders.wallet.payment_returns import LOST, OPEN, Kind, money_of, paid, spend
from tests.builders.wallet.players import make_player
from wallet.audit.audit import row_findings
from wallet.deposits.deposits import apply_received
from wallet.deposits.models import GatewayEvent, StaffTask
from wallet.deposits.payment_models import PaymentReturn
from wallet.gateways.sandbox_page import Sent
from wallet.ledger.models import Account, Transfer

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("lawful", "untaxed"),
]


def staff():
    return make_player(is_staff=True)


def clearing():
    return Account.objects.get(kind="gateway_clearing", currency="INR").balance_minor


def names_of(deposit, case="r1"):
    """Return the gateway's references of a deposit's payment and of its refund or dispute."""
    name = order(deposit)["order"].removeprefix("order_")
    return f"pay_{name}_1", f"case_{name}_{case}"


def lines_of(deposit, *, taken=100_00, case="r1"):
    """Return the lines of a settlement: a payment and its refund or dispute."""
    payment, refund = names_of(deposit, case)
    return (
        settled_line(payment, 100_00, fee=2_00, tax=36),
        settled_line(refund, taken, kind="refund", payment=payment, fee=1_00, tax=18),
    )


def asked_for(*lines):
    [asked] = ask_for(settlement_file(*lines), by=staff())
    return asked


def test_refund_without_an_event_is_booked_from_the_settlement():
    deposit = paid()
    spend(deposit.player, 30)
    asked = asked_for(*lines_of(deposit, taken=80_00))

    approve_settlement(settlement_id=asked.pk, by=staff())

    assert asked.net_minor == 100_00 - 80_00 - 2_36 - 1_18
    assert clearing() == -asked.net_minor
    # The balance was 70.00; the rest is a debt.
    assert money_of(deposit.player) == [0, 0, -10_00]
    case = PaymentReturn.objects.get()
    assert (case.what, case.status, case.transfer.kind) == ("refund", "taken", "chargeback")
    assert unreported(asked) == []
    assert row_findings() == ()


def test_late_event_and_second_approval_book_nothing():
    deposit = paid()
    asked = asked_for(*lines_of(deposit))
    checker = staff()
    for _ in range(2):
        approve_settlement(settlement_id=asked.pk, by=checker)

    assert tell(deposit, Sent(Kind.REFUND_DONE, case="r1")) == ["ignored"]

    assert Transfer.objects.filter(kind="chargeback").count() == 1
    assert money_of(deposit.player) == [0, 0, 0]


@pytest.mark.extended
def test_refund_with_an_event_is_not_booked_from_the_settlement():
    deposit = paid()
    tell(deposit, Sent(Kind.REFUND_DONE, case="r1"))
    asked = asked_for(*lines_of(deposit))

    assert unreported(asked) == []
    approve_settlement(settlement_id=asked.pk, by=staff())

    assert GatewayEvent.objects.filter(kind=Kind.REFUND_DONE).count() == 1
    assert clearing() == -asked.net_minor


def test_open_dispute_in_a_settlement_is_booked_as_lost():
    deposit = paid()
    tell(deposit, OPEN)
    asked = asked_for(*lines_of(deposit, case="d1"))

    approve_settlement(settlement_id=asked.pk, by=staff())

    case = PaymentReturn.objects.get()
    assert (case.what, case.status) == ("dispute", "taken")
    assert tell(deposit, LOST) == ["ignored"]
    assert clearing() == -asked.net_minor
    assert row_findings() == ()


@pytest.mark.extended
def test_refund_above_its_payment_becomes_a_staff_task():
    deposit = paid()
    payment, refund = names_of(deposit)
    asked = asked_for(
        settled_line("pay_x", 500_00),
        settled_line(refund, 100_01, kind="refund", payment=payment),
    )

    approve_settlement(settlement_id=asked.pk, by=staff())

    assert StaffTask.objects.get().kind == "other_return"
    assert money_of(deposit.player) == [100_00, 0, 0]
    assert PaymentReturn.objects.get().status == "checking"


def test_settlement_with_a_refund_of_the_approver_is_refused():
    deposit = paid()
    asked = asked_for(*lines_of(deposit))
    player = deposit.player

    with pytest.raises(SharedInterest):
        approve_settlement(settlement_id=asked.pk, by=player)

    asked.refresh_from_db()
    assert (asked.status, asked.transfer) == ("requested", None)
    assert money_of(player) == [100_00, 0, 0]


def test_concurrent_approvals_and_event_book_a_refund_once():
    deposit = paid()
    asked = asked_for(*lines_of(deposit))
    checker = staff()
    approve = partial(approve_settlement, settlement_id=asked.pk, by=checker)

    answers = at_once([approve, approve, lambda: tell(deposit, Sent(Kind.REFUND_DONE, case="r1"))])

    assert not [answer for answer in answers if isinstance(answer, Exception)]
    assert Transfer.objects.filter(kind="chargeback").count() == 1
    assert clearing() == -asked.net_minor
    assert row_findings() == ()


def test_approving_keeps_events_that_a_settlement_worker_books():
    deposit = paid()
    asked = asked_for(*lines_of(deposit, taken=40_00))

    returns.approve_settlement(settlement_id=asked.pk, by=staff())

    assert money_of(deposit.player) == [100_00, 0, 0]
    apply_received()
    assert money_of(deposit.player) == [60_00, 0, 0]
