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

from config import environment, providers
from config.celery import app
from tests.builders.wallet.cashier_desk import make_depositor, money_of
from tests.builders.wallet.players import books
from tests.builders.wallet.razorpay_events import LINK, LOST, event, knock, make_deposit
from wallet.cashier.models import IdempotentRequest
from wallet.deposits.models import Deposit, GatewayEvent
from wallet.deposits.unpaid_orders import cancel_deposit
from wallet.exceptions import DepositNotOpen, GatewayUnavailable

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("razorpay")]


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


def test_event_is_enqueued_as_soon_as_it_is_stored(
    client, network, django_capture_on_commit_callbacks
):
    make_deposit()
    with app.connection_for_write() as broker:
        broker.default_channel.queue_purge("settle")

        with django_capture_on_commit_callbacks(execute=True):
            knock(client, event())

        message = broker.default_channel.basic_get("settle", no_ack=True)
    assert message.headers["task"] == "wallet.apply_gateway_event"
    assert message.payload[0] == [GatewayEvent.objects.get().pk]


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
