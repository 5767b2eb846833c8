"""GST on deposits (RB 11.5): added or included, shown before the payment, never lost."""

import pytest
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st
from moneyed import Money

from tests.builders.wallet.amounts import sent
from tests.builders.wallet.cashier_desk import make_deposit, make_depositor, order, send, tell
from tests.builders.wallet.tax_office import deposit_money, lay_down
from wallet.audit.audit import row_findings
from wallet.exceptions import AmountNotPositive
from wallet.gateways.sandbox_page import Sent, event_bodies
from wallet.ledger.models import Transfer
from wallet.statements.receipts import receipt_of
from wallet.tax.arithmetic import added_to, taken_out_of
from wallet.tax.models import GstCharge

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("lawful")]
AMOUNTS = st.integers(min_value=1, max_value=10**14)
RATES = st.integers(min_value=1, max_value=9_999)


# The arithmetic.


@pytest.mark.parametrize(
    ("sums", "expected"),
    [
        (added_to(100_00, 2_800), (128_00, 100_00, 28_00)),
        (added_to(100_00, 4_000), (140_00, 100_00, 40_00)),
        (added_to(1, 5_000), (2, 1, 1)),
        (added_to(1, 4_999), (1, 1, 0)),
        (taken_out_of(100_00, 2_800), (100_00, 78_12, 21_88)),
        (taken_out_of(100_00, 4_000), (100_00, 71_42, 28_58)),
        (taken_out_of(1, 4_000), (1, 0, 1)),
    ],
)
def test_vectors(sums, expected):
    assert (sums.paid, sums.credited, sums.tax) == expected


@given(AMOUNTS, RATES)
def test_parts_of_a_deposit_sum_to_its_price(amount, bps):
    on_top, within = added_to(amount, bps), taken_out_of(amount, bps)

    assert on_top.paid == on_top.credited + on_top.tax
    assert on_top.credited == amount
    assert abs(2 * on_top.tax * 10_000 - 2 * amount * bps) <= 10_000
    assert within.paid == amount == within.credited + within.tax
    assert within.credited * (10_000 + bps) <= amount * 10_000
    assert (within.credited + 1) * (10_000 + bps) > amount * 10_000


@given(AMOUNTS, RATES)
def test_added_tax_taken_out_again_returns_the_amount(amount, bps):
    again = taken_out_of(added_to(amount, bps).paid, bps)

    assert again.credited in (amount - 1, amount)


# Deposits.


@pytest.mark.parametrize(
    ("rate", "to_pay", "money"),
    [
        # Wallet, tax, suspense and clearing.
        ({}, 140_00, [100_00, 40_00, 0, -140_00]),
        ({"bps": 4_000, "treatment": "inclusive"}, 100_00, [71_42, 28_58, 0, -100_00]),
        ({"bps": 0, "treatment": "none"}, 100_00, [100_00, 0, 0, -100_00]),
    ],
    ids=["on top", "included", "none"],
)
def test_tax_of_a_deposit_is_kept_apart(rate, to_pay, money):
    if rate:
        lay_down("gst", **rate)
    deposit = make_deposit()

    assert tell(deposit, Sent()) == ["credited"]

    assert order(deposit)["amount_minor"] == to_pay
    assert deposit_money(deposit) == money
    charges = GstCharge.objects.values_list("paid_minor", "credited_minor", "tax_minor")
    assert list(charges) == ([(to_pay, *money[:2])] if money[1] else [])
    assert row_findings() == ()


def test_an_amount_of_which_nothing_would_be_left_is_refused():
    lay_down("gst", bps=4_000, treatment="inclusive")

    with pytest.raises(AmountNotPositive):
        make_deposit("0.01")


def test_order_keeps_the_rate_shown_to_the_player():
    deposit = make_deposit()
    lay_down("gst", bps=5_000, treatment="exclusive")

    tell(deposit, Sent())

    assert deposit_money(deposit) == [100_00, 40_00, 0, -140_00]
    assert make_deposit().to_pay == Money(150, "INR")


def test_a_fault_after_the_credit_leaves_neither_credit_nor_charge(monkeypatch):
    deposit = make_deposit()
    [body] = event_bodies(order(deposit), [Sent()])
    monkeypatch.setattr("wallet.tax.gst.note_charge", lambda **_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        send(body)
    monkeypatch.undo()
    assert deposit_money(deposit) == [0, 0, 0, 0]

    assert send(body) == "credited"

    assert deposit_money(deposit) == [100_00, 40_00, 0, -140_00]


# What people see.


def test_the_page_shows_the_sum_before_it_is_paid(client):
    client.force_login(make_depositor())
    page = client.get(reverse("start-deposit"))
    said = {"amount": "100.00", "key": str(page.context["form"]["key"].value())}

    state = client.post(reverse("start-deposit"), said, follow=True).content.decode()

    assert "GST at 40 % is added to the amount." in page.content.decode()
    lay_down("gst", bps=2_800, treatment="inclusive")
    assert "GST at 28 % is deducted" in client.get(reverse("start-deposit")).content.decode()
    for words in ("GST at 40 %", "40.00", "You pay", "140.00"):
        assert words in state
    assert not Transfer.objects.exists()


def test_quote_and_order_of_the_api_have_the_same_figures(client):
    client.force_login(make_depositor())
    asked = {"amount_minor": 99_99, "currency": "INR"}

    quote = client.get(reverse("api-deposit-quote"), asked).json()
    made = client.post(
        reverse("api-deposits"),
        asked,
        content_type="application/json",
        headers={"Idempotency-Key": "k"},
    ).json()

    assert quote == {
        "amount": sent(99_99),
        "gst": sent(40_00),
        "gst_bps": 4_000,
        "gst_treatment": "exclusive",
        "to_pay": sent(139_99),
    }
    assert {name: made[name] for name in quote} == quote


def test_the_receipt_tells_what_was_paid_and_taxed():
    deposit = make_deposit()
    tell(deposit, Sent())
    deposit.refresh_from_db()

    receipt = receipt_of(deposit.transfer, deposit.player)

    assert [(line.text, line.money.amount) for line in receipt.sums] == [
        ("You paid", 140),
        ("GST at 40 %", -40),
        ("Credited", 100),
    ]
    assert receipt.sentence.startswith("You paid ₹140.00. ₹40.00 of it is GST")
