"""Razorpay's library against a simulated network."""

import hashlib
import hmac
import json
from datetime import timedelta

import pytest
import requests
from django.core.exceptions import ImproperlyConfigured
from django.urls import reverse
from django.utils import timezone
from moneyed import Money

from config import environment, providers
from tests.builders.people.regions import open_region
from tests.builders.wallet.cashier_desk import make_depositor, money_of, start_deposit
from tests.builders.wallet.players import balances, books
from tests.builders.wallet.razorpay_events import event, knock
from tests.builders.wallet.tax_office import no_gst
from wallet.audit.audit import row_findings
from wallet.cashier.models import IdempotentRequest
from wallet.deposits.debts import owed_minor
from wallet.deposits.models import Deposit, StaffTask
from wallet.deposits.unpaid_orders import cancel_deposit
from wallet.exceptions import DepositNotOpen, GatewayUnavailable
from wallet.ledger import accounts

pytestmark = pytest.mark.django_db
LOST = "payment.dispute.lost"
LINK = {"id": "plink_1", "short_url": "https://rzp.io/i/abc", "status": "created"}


@pytest.fixture(autouse=True)
def _razorpay(settings, db):
    no_gst()
    open_region("IN-KA")
    settings.DEPOSIT_GATEWAY = "razorpay"
    settings.GATEWAY_KEYS = {"RAZORPAY_KEY_ID": "key", "RAZORPAY_KEY_SECRET": "secret"}
    settings.GATEWAY_WEBHOOK_SECRETS = {"razorpay": [providers.WebhookSecret("hook")]}


@pytest.fixture
def network(monkeypatch):
    """Answer requests from a list; keep what was asked."""
    asked, answers = [], [(200, LINK)]

    def send(_adapter, request, **options):
        asked.append((request, options))
        status, content = answers[min(len(asked), len(answers)) - 1]
        if isinstance(content, Exception):
            raise content
        response = requests.Response()
        response.status_code, response._content = status, json.dumps(content).encode()
        return response

    monkeypatch.setattr(requests.adapters.HTTPAdapter, "send", send)
    return asked, answers


def make_deposit():
    return start_deposit(player=make_depositor(), amount=Money(100, "INR"))


def return_event(name, *, amount=100_00, payment="pay_1", case="disp_1", **facts):
    kind = "refund" if name.startswith("refund") else "dispute"
    about = {"id": case, "payment_id": payment, "amount": amount, "currency": "INR"}
    payload = {
        "payment": {"entity": {"id": payment, "amount": 100_00, "currency": "INR"}},
        kind: {"entity": about | facts},
    }
    return json.dumps({"event": name, "payload": payload}).encode()


def test_an_order_is_a_payment_link_of_the_exact_amount(network):
    asked, _answers = network

    deposit = make_deposit()

    [(request, options)] = asked
    assert request.url == "https://api.razorpay.com/v1/payment_links"
    assert json.loads(request.body) == {
        "amount": 100_00,
        "currency": "INR",
        "reference_id": str(deposit.public_id),
        "accept_partial": False,
        "expire_by": pytest.approx(deposit.payable_until.timestamp(), abs=5),
    }
    assert request.headers["Authorization"] == requests.auth._basic_auth_str("key", "secret")
    assert options["timeout"] == 10
    assert (deposit.order_reference, deposit.pay_url) == ("plink_1", "https://rzp.io/i/abc")


def test_return_from_the_payment_page_credits_nothing(network, settings, client):
    settings.PUBLIC_URL = "https://rummy.example"
    asked, _answers = network

    deposit = make_deposit()

    [(request, _options)] = asked
    said = json.loads(request.body)
    path = reverse("deposit", args=[deposit.public_id])
    assert said["callback_url"] == f"https://rummy.example{path}"
    assert said["callback_method"] == "get"
    client.force_login(deposit.player)
    back = client.get(
        path, {"razorpay_payment_id": "pay_1", "razorpay_payment_link_status": "paid"}
    )
    assert back.status_code == 200
    deposit.refresh_from_db()
    assert deposit.status == "created"


def test_a_paid_link_is_credited_once(client, network):
    deposit = make_deposit()

    outcomes = [knock(client, event()), knock(client, event()), knock(client, event(), number="e2")]

    assert outcomes == [(200, "credited"), (200, "ignored"), (200, "ignored")]
    assert money_of(deposit) == [100_00, 0, -100_00]


def test_open_order_is_paid_after_a_change_of_gateway(client, network, settings):
    deposit = make_deposit()
    settings.DEPOSIT_GATEWAY = "sandbox"

    assert knock(client, event()) == (200, "credited")

    assert money_of(deposit) == [100_00, 0, -100_00]


def test_razorpay_without_secret_accepts_no_events(client, network, settings):
    make_deposit()
    settings.GATEWAY_WEBHOOK_SECRETS = {"razorpay": []}
    mac = hmac.new(b"", event(), hashlib.sha256).hexdigest()

    assert knock(client, event(), signature=mac) == (404, "gateway_unknown")


@pytest.mark.parametrize("name", ["payment_link.cancelled", "payment_link.expired"])
def test_a_link_that_ends_unpaid_closes_its_order(client, network, name):
    deposit = make_deposit()

    assert knock(client, event(name)) == (200, "closed")
    assert knock(client, event(name), number="evt_2") == (200, "ignored")

    deposit.refresh_from_db()
    assert deposit.status == "closed"


def test_a_cancelled_order_is_a_cancelled_link(client, network):
    asked, answers = network
    deposit = make_deposit()
    answers[:] = [(200, LINK), (200, {**LINK, "status": "cancelled"})]

    cancel_deposit(deposit_id=deposit.pk)

    request, options = asked[-1]
    assert request.url == "https://api.razorpay.com/v1/payment_links/plink_1/cancel"
    assert (request.method, options["timeout"]) == ("POST", 10)
    assert knock(client, event("payment_link.cancelled")) == (200, "ignored")
    deposit.refresh_from_db()
    assert deposit.status == "cancelled"


@pytest.mark.parametrize(
    ("trouble", "refusal"),
    [
        ((400, {"error": {"code": "BAD_REQUEST_ERROR", "description": "paid"}}), DepositNotOpen),
        ((500, {"error": {"code": "SERVER_ERROR", "description": "no"}}), GatewayUnavailable),
        ((0, requests.ConnectTimeout()), GatewayUnavailable),
    ],
)
def test_an_order_the_gateway_does_not_cancel_stays_open(network, trouble, refusal):
    _asked, answers = network
    deposit = make_deposit()
    answers[:] = [(200, LINK), trouble]

    with pytest.raises(refusal):
        cancel_deposit(deposit_id=deposit.pk)

    deposit.refresh_from_db()
    assert deposit.status == "created"


BAD = (400, "bad_signature")
UNREADABLE = [
    b"{}",
    b"[]",
    b'{"event": "payment_link.paid"}',
    b"[" * 100_000,
    event(amount=-1),
    event(amount="1"),
    event().replace(b'"amount":', b'"amount": 1, "amount":', 1),
    *(
        json.dumps({"event": LOST, "payload": {"dispute": {"entity": entity}}}).encode()
        for entity in ({}, {"id": "disp_1"}, {"payment_id": 7})
    ),
]


def test_forged_or_unreadable_event_is_refused_and_an_unrelated_one_ignored(client, network):
    make_deposit()
    before = books()

    for signature in ("", "0" * 64, "é"):
        assert knock(client, event(), signature=signature) == BAD
    assert knock(client, b"\xff") == BAD
    for body in UNREADABLE:
        assert knock(client, body) == (400, "unreadable_event"), body[:80]
    assert knock(client, event("settlement.processed")) == (200, "event_ignored")
    assert books() == before


@pytest.mark.parametrize(
    "trouble",
    [
        (400, {"error": {"code": "BAD_REQUEST_ERROR", "description": "no"}}),
        (500, {"error": {"code": "SERVER_ERROR", "description": "no"}}),
        (502, {"error": {"code": "GATEWAY_ERROR", "description": "no"}}),
        (0, requests.ConnectTimeout()),
        (200, {"id": "plink_1", "short_url": "javascript:alert(1)"}),
        (200, {}),
    ],
)
def test_a_gateway_in_trouble_costs_nothing_and_the_same_request_may_come_again(
    client, network, trouble
):
    asked, answers = network
    answers[:] = [trouble, (200, LINK)]
    client.force_login(make_depositor())

    first, second = ask(client), ask(client)

    assert (first.status_code, first.json()["code"]) == (503, "gateway_unavailable")
    assert second.status_code == 201
    assert "Idempotency-Replayed" not in second
    assert (len(asked), Deposit.objects.count(), IdempotentRequest.objects.count()) == (2, 1, 1)


def ask(client):
    return client.post(
        reverse("api-deposits"),
        {"amount_minor": 100_00, "currency": "INR"},
        content_type="application/json",
        headers={"Idempotency-Key": "k"},
    )


@pytest.mark.parametrize("url", ["rummy.example", "ftp://rummy.example", "https://a/b", "https://"])
def test_invalid_public_url_does_not_start(monkeypatch, url):
    monkeypatch.setenv("PUBLIC_URL", url)

    with pytest.raises(ImproperlyConfigured):
        environment.public_url()


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
@pytest.mark.usefixtures("network")
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


def test_second_payment_of_an_order_is_in_suspense_without_its_fee(client, network):
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


def test_old_secret_is_valid_until_its_end(client, network, settings, later):
    make_deposit()
    end = timezone.now() + timedelta(hours=1)
    new, old = providers.WebhookSecret("new"), providers.WebhookSecret("hook", end)
    settings.GATEWAY_WEBHOOK_SECRETS = {"razorpay": [new, old]}

    assert knock(client, event()) == (200, "credited")
    assert knock(client, event(payment="pay_2"), secret=b"new", number="e2") == (200, "suspense")
    assert knock(client, event(payment="pay_3"), secret=b"other") == (400, "bad_signature")
    later(hours=2)
    assert knock(client, event(payment="pay_4")) == (400, "bad_signature")


def test_secrets_are_a_list_and_are_required_with_the_library(monkeypatch):
    monkeypatch.setenv("RAZORPAY_WEBHOOK_SECRET", "new, old until 2026-12-01T12:00+00:00")
    [new, old] = providers.all_webhook_secrets()["razorpay"]
    assert (new.text, new.until, old.text, old.until.hour) == ("new", None, "old", 12)
    assert "old" not in repr(old)

    monkeypatch.setenv("RAZORPAY_WEBHOOK_SECRET", "new until soon")
    with pytest.raises(ImproperlyConfigured):
        providers.all_webhook_secrets()

    monkeypatch.setenv("RAZORPAY_WEBHOOK_SECRET", "new")
    monkeypatch.setattr(providers, "find_spec", lambda _name: None)
    with pytest.raises(ImproperlyConfigured, match="not installed"):
        providers.all_webhook_secrets()
    monkeypatch.undo()
    monkeypatch.setenv("DEPOSIT_GATEWAY", "razorpay")
    with pytest.raises(ImproperlyConfigured):
        providers.deposit_gateway()


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
def test_refunds_and_lost_disputes_are_taken_once(client, network, events, outcomes, left):
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
