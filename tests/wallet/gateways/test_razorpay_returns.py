"""Fees of payments by Razorpay, refunds and disputes."""

import pytest

from tests.builders.wallet.cashier_desk import money_of
from tests.builders.wallet.players import balances
from tests.builders.wallet.razorpay_events import LOST, event, knock, make_deposit, return_event
from wallet.audit.audit import row_findings
from wallet.deposits.debts import owed_minor
from wallet.deposits.models import StaffTask
from wallet.ledger import accounts

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("network")]
CUSTOMER = {"fee": 2_36, "tax": 36, "fee_bearer": "customer"}
PLATFORM = CUSTOMER | {"fee_bearer": "platform"}


@pytest.mark.parametrize(
    ("amount", "facts", "outcome", "apart"),
    [
        (102_36, CUSTOMER, "credited", (2_00, 36)),
        (101_18, CUSTOMER, "credited", (1_00, 18)),  # The operator bears the other half.
        (100_00, PLATFORM, "credited", (0, 0)),
        (100_00, CUSTOMER, "credited", (0, 0)),
        (102_36, PLATFORM, "suspense", (0, 0)),
        (102_37, CUSTOMER, "suspense", (0, 0)),  # More than the order and the fee.
        (99_00, CUSTOMER, "suspense", (0, 0)),
        (102_36, CUSTOMER | {"tax": 2_37}, "suspense", (0, 0)),
    ],
)
def test_fee_that_the_payer_bears_is_booked_apart_and_other_surplus_waits_for_staff(
    client, amount, facts, outcome, apart
):
    deposit = make_deposit()

    outcomes = [knock(client, event(amount=amount, **facts), number=n) for n in ("evt_1", "evt_2")]

    assert outcomes == [(200, outcome), (200, "ignored")]
    assert (operators("gateway_fees"), operators("input_tax")) == apart
    is_credited = outcome == "credited"
    held = [100_00, 0, -amount] if is_credited else [0, amount, -amount]
    assert money_of(deposit) == held
    deposit.refresh_from_db()
    assert deposit.status == ("paid" if is_credited else "checking")
    assert row_findings() == ()


def test_second_payment_of_an_order_is_in_suspense_without_its_fee(client):
    make_deposit()
    knock(client, event())

    second = knock(client, event(amount=102_36, payment="pay_2", **CUSTOMER), number="evt_2")

    assert second == (200, "suspense")
    assert (operators("suspense"), operators("gateway_fees")) == (100_00, 2_00)
    assert row_findings() == ()


@pytest.mark.parametrize(
    ("returns", "fees"),
    [
        ([102_36], -36),  # The fee was booked as 2.00 and 0.36 of tax.
        ([100_00], 2_00),
        ([60_00, 42_36], -36),
        ([60_00, 40_00, 2_36], -36),
    ],
)
def test_returned_fee_is_not_taken_from_the_player(client, network, returns, fees):
    deposit = make_deposit()
    knock(client, event(amount=102_36, **CUSTOMER))

    outcomes = [
        knock(client, return_event("refund.processed", case=f"r{n}", amount=part), number=f"r{n}")
        for n, part in enumerate(returns)
    ]

    assert {outcome for _, outcome in outcomes} == {"taken"}
    assert money_of(deposit)[:2] == [0, 0]
    assert owed_minor(player=deposit.player, currency="INR") == 0
    assert operators("gateway_fees") == fees
    assert row_findings() == ()


def operators(kind):
    return balances(accounts.operator_account(kind=kind, currency="INR"))[0]


PART, LATER = {"amount": 60_00, "case": "rfnd_1"}, {"amount": 40_00, "case": "rfnd_3"}


@pytest.mark.parametrize(
    ("events", "outcomes", "left"),
    [
        (
            [
                *((f"payment.dispute.{name}", {}) for name in ("created", "under_review")),
                *(("payment.dispute.action_required", {}), (LOST, {}), (LOST, {})),
            ],
            ["opened", "ignored", "ignored", "taken", "ignored"],
            0,
        ),
        (
            [("payment.dispute.created", {}), ("payment.dispute.won", {})],
            ["opened", "dropped"],
            100,
        ),
        (
            [("payment.dispute.created", {}), ("payment.dispute.closed", {})],
            ["opened", "dropped"],
            100,
        ),
        (
            [
                *(("refund.created", PART), ("refund.processed", PART)),
                ("refund.failed", {"amount": 10_00, "case": "rfnd_2"}),
                ("refund.processed", LATER),
                ("refund.processed", {"amount": 1, "case": "rfnd_4"}),  # More than was paid.
            ],
            ["opened", "taken", "dropped", "taken", "checking"],
            0,
        ),
        # A lost dispute takes what the gateway has moved.
        (
            [
                ("payment.dispute.created", {"amount_deducted": 0}),
                (LOST, {"amount_deducted": 90_00}),
            ],
            ["opened", "taken"],
            10,
        ),
        ([(LOST, {"amount_deducted": 90_00}), (LOST, {})], ["taken", "ignored"], 10),
        ([(LOST, {"amount_deducted": 0})], ["checking"], 100),
        ([(LOST, {"amount_deducted": 100_01})], ["checking"], 100),
    ],
)
def test_refunds_and_lost_disputes_are_taken_once(client, events, outcomes, left):
    deposit = make_deposit()
    knock(client, event())

    shown = [
        knock(client, return_event(name, **facts), number=f"return {number}")
        for number, (name, facts) in enumerate(events)
    ]

    assert shown == [(200, outcome) for outcome in outcomes]
    assert money_of(deposit) == [left * 100, 0, -left * 100]
    tasks = StaffTask.objects.filter(kind="other_return")
    assert tasks.count() == outcomes.count("checking")
    assert row_findings() == ()
