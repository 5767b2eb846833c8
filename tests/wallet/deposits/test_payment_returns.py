"""Refunds and disputes debit deposit, then winnings, then become a debt; once, in any order."""

from dataclasses import replace
from datetime import timedelta
from functools import partial

import pytest
from django.db import ProgrammingError, connection, transaction
from django.utils import timezone
from moneyed import Money

from core.exceptions import AlreadyDecided
from players.notifications.models import Notification
from tests.amounts import first
from tests.builders.processes.threads import at_once
from tests.builders.wallet.cashier_desk import order, send, tell
from tests.builders.wallet.payment_returns import (
    LOST,
    OPEN,
    PAID,
    WON,
    Kind,
    deposit_of,
    money_of,
    paid,
    spend,
    withdraw,
)
from tests.builders.wallet.players import balances, books, fund, make_player
from wallet.audit import freezes
from wallet.audit.audit import row_findings
from wallet.deposits import payment_returns, suspense
from wallet.deposits.deposits import finish_task
from wallet.deposits.models import StaffTask
from wallet.deposits.payment_models import PaymentReturn
from wallet.exceptions import DebtOutstanding, NothingToSend, PaymentDisputed
from wallet.gateways.sandbox_page import Sent, event_bodies
from wallet.ledger.days import site_day
from wallet.ledger.models import Account, Transfer
from wallet.tax.arithmetic import financial_year
from wallet.tax.assessment import own_deposits
from wallet.withdrawals import withdrawals

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("lawful", "untaxed")]
BEGUN, DONE, FAILED = (
    Sent(kind, case="r1") for kind in (Kind.REFUND_BEGUN, Kind.REFUND_DONE, Kind.REFUND_FAILED)
)


@pytest.mark.parametrize("events", first(2, [[OPEN, LOST], [DONE], [BEGUN, DONE], [LOST]]))
def test_returned_payment_is_taken_from_deposit_then_winnings(events):
    deposit = paid()
    fund(deposit.player, winnings=70_00)
    spend(deposit.player, 60)

    answers = tell(deposit, *events)

    assert answers[-1] == "taken"
    assert money_of(deposit.player) == [0, 10_00, 0]
    [case] = PaymentReturn.objects.all()
    assert (case.status, case.amount_minor, case.transfer.kind) == ("taken", 100_00, "chargeback")
    assert row_findings() == ()


def test_missing_part_of_a_return_is_owed_and_paid_by_the_next_deposits():
    deposit = paid()
    player = deposit.player
    spend(player, 80)

    tell(deposit, LOST)
    assert money_of(player) == [0, 0, -80_00]
    year = financial_year(site_day())
    assert own_deposits(player, "INR", year) == 0  # The debt is not an own deposit either.
    paid(player, 50)
    assert money_of(player) == [0, 0, -30_00]
    paid(player, 50)

    assert money_of(player) == [20_00, 0, 0]
    assert own_deposits(player, "INR", year) == 100_00
    assert row_findings() == ()


@pytest.mark.parametrize(
    ("events", "answers"),
    [
        ([LOST, LOST], ["taken", "ignored"]),
        ([LOST, OPEN], ["taken", "ignored"]),
        ([OPEN, OPEN, LOST], ["opened", "ignored", "taken"]),
        ([WON, OPEN], ["dropped", "ignored"]),
        ([WON, LOST], ["dropped", "taken"]),  # An appeal reversed the decision.
        ([BEGUN, FAILED, DONE], ["opened", "dropped", "taken"]),
        ([DONE, FAILED], ["taken", "checking"]),
    ],
)
def test_reports_may_repeat_and_come_in_any_order(events, answers):
    deposit = paid()

    outcomes = tell(deposit, *events)

    assert outcomes == answers
    is_taken = "taken" in answers
    assert money_of(deposit.player) == [0 if is_taken else 100_00, 0, 0]
    assert Transfer.objects.filter(kind="chargeback").count() == is_taken


def test_refund_reported_before_its_payment_is_applied_once_it_is_known():
    deposit = deposit_of()

    assert tell(deposit, DONE) == ["checking"]
    assert tell(deposit, PAID) == ["credited"]

    assert money_of(deposit.player) == [0, 0, 0]
    assert PaymentReturn.objects.get().status == "taken"
    assert StaffTask.objects.get().kind == "other_return"


def test_mismatching_refund_is_one_open_task():
    deposit = paid()
    exceeding = Sent(Kind.DISPUTE_OPEN, case="d1", surplus_minor=1)

    tell(deposit, exceeding, replace(exceeding, kind=Kind.DISPUTE_LOST))

    task = StaffTask.objects.get(kind="other_return")
    assert PaymentReturn.objects.get().reported == "taken"
    finish_task(task_id=task.pk, by=make_player(is_staff=True))
    tell(deposit, replace(exceeding, kind=Kind.DISPUTE_WON, surplus_minor=2))
    assert StaffTask.objects.undone().get(kind="other_return") != task


@pytest.mark.parametrize(
    "events",
    [
        [Sent(Kind.REFUND_DONE, case="r1", surplus_minor=1)],  # More than was paid.
        [Sent(Kind.REFUND_DONE, case="r1", share=2), Sent(Kind.DISPUTE_LOST, case="d1")],
        [Sent(Kind.DISPUTE_OPEN, case="d1"), Sent(Kind.DISPUTE_LOST, case="d1", share=2)],
    ],
)
def test_other_amounts_move_nothing_and_are_left_to_staff(events):
    deposit = paid()

    outcomes = tell(deposit, *events)

    assert outcomes[-1] == "checking"
    assert Transfer.objects.filter(kind="chargeback").count() == (outcomes[0] == "taken")
    task = StaffTask.objects.get(kind="other_return")
    if outcomes[0] == "taken":
        assert task.details.endswith("brought ₹100.00, and ₹50.00 was taken back before")
    with pytest.raises(PaymentDisputed):
        withdraw(deposit.player, 10)
    case = PaymentReturn.objects.get(status="checking")
    clerk = make_player(is_staff=True)
    payment_returns.close_return(return_id=case.pk, by=clerk, remark="Adjusted by hand")
    withdraw(deposit.player, 10)
    with pytest.raises(AlreadyDecided):
        payment_returns.close_return(return_id=case.pk, by=clerk, remark="Again")


def test_an_open_dispute_stops_withdrawals_until_it_is_won():
    deposit = paid()
    player = deposit.player
    asked = withdraw(player, 10)
    approved = withdraw(player, 10)
    withdrawals.approve(withdrawal_id=approved.pk, by=make_player(is_staff=True))

    tell(deposit, OPEN)

    for refused in (
        lambda: withdraw(player, 10),
        lambda: withdrawals.approve(withdrawal_id=asked.pk, by=make_player(is_staff=True)),
    ):
        with pytest.raises(PaymentDisputed):
            refused()
    with pytest.raises(NothingToSend):
        withdrawals.send_to_bank(by=make_player(is_staff=True))
    assert StaffTask.objects.get().kind == "dispute"
    tell(deposit, WON)
    withdrawals.approve(withdrawal_id=asked.pk, by=make_player(is_staff=True))
    withdrawals.send_to_bank(by=make_player(is_staff=True))
    kinds = Notification.objects.filter(player=player, about=deposit.public_id).values_list("kind")
    assert [kind for (kind,) in kinds.order_by("pk")] == ["payment_disputed", "payment_kept"]


def test_debts_are_paid_first_and_pending_withdrawals_are_not_sent():
    deposit = paid()
    player = deposit.player
    fund(player, winnings=30_00)
    on_its_way = withdraw(player, 100)
    tell(deposit, LOST)
    assert money_of(player) == [0, 0, -70_00]

    with pytest.raises(DebtOutstanding):
        withdrawals.approve(withdrawal_id=on_its_way.pk, by=make_player(is_staff=True))
    fund(player, winnings=30_00)
    before = books()
    with pytest.raises(DebtOutstanding, match="You owe ₹70") as refusal:
        withdraw(player, 30)
    assert (refusal.value.code, books()) == ("debt_outstanding", before)
    withdrawals.reject(
        withdrawal_id=on_its_way.pk, by=make_player(is_staff=True), remark="Payment taken back"
    )

    assert money_of(player) == [30_00, 30_00, 0]
    assert withdraw(player, 60).amount == Money(60, "INR")


def test_a_frozen_bucket_gives_nothing_and_the_player_owes():
    deposit = paid()
    bucket = Account.objects.get(player=deposit.player, kind="deposit")
    freezes.freeze_account(account=bucket, reason="Asked", by=make_player(is_staff=True))

    assert tell(deposit, LOST) == ["taken"]

    assert money_of(deposit.player) == [100_00, 0, -100_00]


def test_a_payment_in_suspense_is_sent_back_by_staff_and_its_refund_is_the_same_money():
    deposit = deposit_of()
    tell(deposit, Sent(surplus_minor=-100))
    [task] = StaffTask.objects.all()

    suspense.return_payment(task_id=task.pk, by=make_player(is_staff=True), remark="case_1")
    outcomes = tell(deposit, Sent(Kind.REFUND_DONE, case="r1", surplus_minor=-100))

    assert outcomes == ["taken"]
    assert Transfer.objects.filter(kind="chargeback").count() == 0
    assert row_findings() == ()


@pytest.mark.parametrize("surplus", [-1_00, 0])
def test_payment_reported_again_with_other_facts_is_a_task(surplus):
    deposit, other = paid(), deposit_of()
    asked = order(other if not surplus else deposit)
    [body] = event_bodies(asked, [Sent(surplus_minor=surplus)])
    name = deposit.order_reference.removeprefix("order_")
    body = body.replace(other.order_reference.removeprefix("order_").encode() + b"_1", b"")
    if not surplus:  # The reference of the first payment, for the second order.
        body = body.replace(b'"payment": "pay_"', f'"payment": "pay_{name}_1"'.encode())

    assert str(send(body)) == "checking"

    assert StaffTask.objects.get().kind == "other_report"
    assert Transfer.objects.count() == 1


def test_application_cannot_change_a_booked_return():
    deposit = paid()
    tell(deposit, LOST)
    case = PaymentReturn.objects.get()

    for forbidden in (
        lambda: PaymentReturn.objects.filter(pk=case.pk).update(amount_minor=1),
        lambda: PaymentReturn.objects.all()._raw_delete("default"),
    ):
        with pytest.raises(ProgrammingError), transaction.atomic():
            forbidden()
    with pytest.raises(Exception, match="is immutable"), transaction.atomic():
        PaymentReturn.objects.filter(pk=case.pk).update(
            status="dropped", transfer=None, closed_at=timezone.now() + timedelta(days=1)
        )


@pytest.mark.django_db(transaction=True)
def test_concurrent_chargeback_and_withdrawal_leave_no_money():
    deposit = paid()
    player = deposit.player

    def ask():
        connection.close()
        return withdraw(player, 100)

    results = at_once([ask, lambda: tell(deposit, LOST)])

    left = money_of(player)
    hold = balances(Account.objects.get(player=player, kind="withdrawal_hold"))[0]
    # Either the money was taken and the request refused, or it waits in the hold and is owed.
    assert (left, hold) in [([0, 0, 0], 0), ([0, 0, -100_00], 100_00)], results
    if hold:
        asked = player.withdrawals.get()
        with pytest.raises(DebtOutstanding):
            withdrawals.approve(withdrawal_id=asked.pk, by=make_player(is_staff=True))


@pytest.mark.django_db(transaction=True)
def test_payment_and_dispute_reported_at_once_are_both_applied():
    """A transaction that waited for a payment's row reads its current values."""
    for _ in range(6):
        deposit = deposit_of()

        said = [PAID] * 3 + [LOST] * 2 + [OPEN]
        outcomes = at_once([partial(tell, deposit, event) for event in said])

        assert not [outcome for outcome in outcomes if isinstance(outcome, Exception)]
        assert money_of(deposit.player) == [0, 0, 0]
    assert PaymentReturn.objects.filter(status="taken").count() == 6
    assert row_findings() == ()
