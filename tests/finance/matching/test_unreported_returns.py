"""Refunds and disputes of a settlement are booked without a gateway event."""

from __future__ import annotations

from functools import partial

import pytest
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from core import audit_log
from core.exceptions import CheckerIsMaker
from core.models import AuditEntry
from finance.exceptions import BadSettlement
from finance.matching.gateways import returns
from finance.matching.gateways.returns import nameless, unreported
from finance.matching.gateways.settlements import request_settlements
from finance.matching.models import GatewayFile, GatewayLine
from players.exceptions import SharedInterest
from tests.builders.books.settlements import (
    approve_settlement,
    ask_for,
    name_payment,
    settled_line,
    settlement_file,
)
from tests.builders.processes.threads import at_once
from tests.builders.staff.people import a_person, lay_roles
from tests.builders.wallet.cashier_desk import order, tell
from tests.builders.wallet.payment_returns import LOST, OPEN, Kind, money_of, paid, spend
from tests.builders.wallet.players import make_player
from wallet.audit.audit import row_findings
from wallet.deposits.deposits import apply_received
from wallet.deposits.models import StaffTask
from wallet.deposits.payment_models import PaymentReturn
from wallet.gateways.sandbox_page import Sent
from wallet.gateways.settlements import reject_settlement
from wallet.ledger.days import site_day
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


def payment_of(deposit):
    return names_of(deposit)[0]


def dispute_of(deposit):
    return names_of(deposit, "d1")[1]


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


def settle(deposit, *, by, taken=40_00):
    """Request a settlement with a payment and a dispute without one, as in Razorpay's files."""
    lines = (("payment", payment_of(deposit), 100_00), ("refund", dispute_of(deposit), -taken))
    now, day = timezone.now(), site_day()
    with transaction.atomic():  # As an upload: the file, and who uploaded it.
        file = GatewayFile.objects.create(
            provider="sandbox",
            shape="settlements",
            name="recon.csv",
            sha256="a" * 64,
            line_count=len(lines),
            passed_over=0,
            first_day=day,
            last_day=day,
            staff=by,
        )
        audit_log.record(by=by, act="upload", row=file)
    for number, (what, reference, minor) in enumerate(lines, start=2):
        GatewayLine.objects.create(
            file=file,
            number=number,
            what=what,
            reference=reference,
            payment_reference=reference if what == "payment" else "",
            currency="INR",
            amount_minor=minor,
            at=now,
            day=day,
            settlement="setl1",
            settled_on=day,
        )
    [asked] = request_settlements(file_id=file.pk, by=by)
    return asked


def name(asked, deposit, *, by, payment=None):
    return name_payment(
        settlement_id=asked.pk,
        reference=dispute_of(deposit),
        payment=payment or payment_of(deposit),
        by=by,
    )


@pytest.mark.extended
def test_payment_of_a_dispute_is_named_by_one_person_and_booked_by_another(client):
    lay_roles()
    deposit = paid()
    clerk, colleague = a_person("Finance"), a_person("Finance")
    asked = settle(deposit, by=staff())
    url = reverse("admin:wallet_gatewaysettlement_changelist")
    page = reverse("admin:wallet_gatewaysettlement_disputes", args=[asked.pk])
    assert [line.reference for line in nameless(asked)] == [dispute_of(deposit)]

    client.force_login(clerk)
    form = {"reference": dispute_of(deposit), "payment": payment_of(deposit)}
    client.post(page, form)
    apply_received()
    shown = client.get(reverse("admin:wallet_gatewaysettlement_change", args=[asked.pk])).text
    client.force_login(colleague)
    approve = {"action": "approve", "_selected_action": [asked.pk]}
    client.post(url, approve)
    before = (money_of(deposit.player), PaymentReturn.objects.get().status)
    apply_received()

    assert f"{dispute_of(deposit)} ₹40.00" in shown
    assert before == ([100_00, 0, 0], "open")
    assert money_of(deposit.player) == [60_00, 0, 0]
    case = PaymentReturn.objects.get()
    assert (case.what, case.status) == ("dispute", "taken")
    assert Account.objects.get(kind="gateway_clearing", currency="INR").balance_minor == -60_00
    assert (nameless(asked), unreported(asked)) == ([], [])
    assert tell(deposit, Sent(Kind.DISPUTE_LOST, case="d1", share=1)) != ["taken"]
    assert Transfer.objects.filter(kind="chargeback").count() == 1
    assert AuditEntry.objects.get(act="name_payment").by == clerk
    assert row_findings() == ()


def test_namer_or_requester_cannot_approve_the_dispute():
    deposit, maker, namer = paid(), staff(), staff()
    asked = settle(deposit, by=maker)
    name(asked, deposit, by=namer)

    for person in (namer, maker):
        with pytest.raises(CheckerIsMaker):
            approve_settlement(settlement_id=asked.pk, by=person)

    asked.refresh_from_db()
    assert (asked.status, money_of(deposit.player)) == ("requested", [100_00, 0, 0])


def test_a_dispute_named_after_the_approval_is_booked_by_approving_again():
    deposit = paid()
    asked = settle(deposit, by=staff())
    approve_settlement(settlement_id=asked.pk, by=staff())
    assert money_of(deposit.player) == [100_00, 0, 0]

    name(asked, deposit, by=staff())
    approve_settlement(settlement_id=asked.pk, by=staff())

    assert money_of(deposit.player) == [60_00, 0, 0]


def test_dispute_cannot_be_named_with_an_unfit_payment():
    deposit, small = paid(), paid(rupees=39)
    asked = settle(deposit, by=staff())

    for payment in ("pay_unknown", payment_of(small)):
        with pytest.raises(BadSettlement):
            name(asked, deposit, by=staff(), payment=payment)
    with pytest.raises(BadSettlement):
        name_payment(
            settlement_id=asked.pk,
            reference=payment_of(deposit),
            payment=payment_of(deposit),
            by=staff(),
        )
    with pytest.raises(SharedInterest):
        name(asked, deposit, by=deposit.player)
    reject_settlement(settlement_id=asked.pk, by=staff())
    with pytest.raises(BadSettlement, match="rejected"):
        name(asked, deposit, by=staff())

    assert not PaymentReturn.objects.exists()


def test_concurrent_naming_opens_one_dispute():
    deposit = paid()
    asked = settle(deposit, by=staff())

    answers = at_once([partial(name, asked, deposit, by=staff()) for _ in range(2)])

    assert [type(one) for one in answers].count(BadSettlement) == 1
    assert PaymentReturn.objects.get().status == "open"
