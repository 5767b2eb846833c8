"""Razorpay's library against a network that is played: nothing leaves this machine."""

import hashlib
import hmac
import json

import pytest
import requests
from django.core.exceptions import ImproperlyConfigured
from django.urls import reverse
from moneyed import Money

from config import environment
from tests.wallet.builders import books
from tests.wallet.cashier_desk import make_depositor, money_of
from tests.wallet.tax_office import no_gst
from wallet.exceptions import DepositNotOpen, GatewayUnavailable
from wallet.models import Deposit, IdempotentRequest, StaffTask
from wallet.services.deposits import start_deposit
from wallet.services.unpaid_orders import cancel_deposit

pytestmark = pytest.mark.django_db
LINK = {"id": "plink_1", "short_url": "https://rzp.io/i/abc", "status": "created"}


@pytest.fixture(autouse=True)
def _razorpay(settings, db):
    no_gst()
    settings.CASH_REGIONS = ["IN-KA"]
    settings.DEPOSIT_GATEWAY = "razorpay"
    settings.RAZORPAY_KEY_ID, settings.RAZORPAY_KEY_SECRET = "key", "secret"
    settings.RAZORPAY_WEBHOOK_SECRET = "hook"


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


def event(name="payment_link.paid", amount=100_00, payment="pay_1"):
    link = {"id": "plink_1", "amount": 100_00, "currency": "INR"}
    payload = {"payment_link": {"entity": link}}
    if name == "payment_link.paid":
        paid = {"id": payment, "amount": amount, "currency": "INR", "status": "captured"}
        payload["payment"] = {"entity": paid}
    return json.dumps({"event": name, "payload": payload}).encode()


def knock(client, body, *, signature=None, number="evt_1"):
    mac = hmac.new(b"hook", body, hashlib.sha256).hexdigest()
    headers = {
        "X-Razorpay-Signature": mac if signature is None else signature,
        "X-Razorpay-Event-Id": number,
    }
    url = reverse("api-webhook", args=["razorpay"])
    answer = client.post(url, body, content_type="application/json", headers=headers)
    return answer.status_code, answer.json().get("outcome") or answer.json()["code"]


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


def test_the_payment_page_leads_back_and_is_not_believed(network, settings, client):
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

    heard = [knock(client, event()), knock(client, event()), knock(client, event(), number="e2")]

    assert heard == [(200, "credited"), (200, "ignored"), (200, "ignored")]
    assert money_of(deposit) == [100_00, 0, -100_00]


def test_what_was_begun_is_paid_after_the_house_has_chosen_another_gateway(
    client, network, settings
):
    deposit = make_deposit()
    settings.DEPOSIT_GATEWAY = "sandbox"

    assert knock(client, event()) == (200, "credited")

    assert money_of(deposit) == [100_00, 0, -100_00]


def test_without_its_secret_it_is_not_heard(client, network, settings):
    make_deposit()
    settings.RAZORPAY_WEBHOOK_SECRET = ""
    mac = hmac.new(b"", event(), hashlib.sha256).hexdigest()

    assert knock(client, event(), signature=mac) == (404, "gateway_unknown")


def test_another_amount_goes_to_suspense(client, network):
    deposit = make_deposit()

    assert knock(client, event(amount=99_00)) == (200, "suspense")

    assert money_of(deposit) == [0, 99_00, -99_00]
    assert StaffTask.objects.get().kind == "other_amount"


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


def test_events_about_other_things_are_heard_and_left_alone(client):
    assert knock(client, event("settlement.processed")) == (200, "event_ignored")


@pytest.mark.parametrize("signature", ["", "0" * 64, "é"])
def test_what_razorpay_has_not_signed_is_refused(client, network, signature):
    make_deposit()
    before = books()

    assert knock(client, event(), signature=signature) == (400, "bad_signature")

    assert books() == before


@pytest.mark.parametrize(
    "body",
    [
        *(b"{}", b"[]", b'{"event": "payment_link.paid"}'),
        pytest.param(b"[" * 100_000, id="nested"),
        *(event(amount=-1), event(amount="1")),
    ],
)
def test_signed_nonsense_is_refused(client, body):
    assert knock(client, body) == (400, "unreadable_event")


def test_a_body_that_is_no_text_is_refused(client):
    assert knock(client, b"\xff") == (400, "bad_signature")


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
        {"amount": "100.00", "currency": "INR"},
        content_type="application/json",
        headers={"Idempotency-Key": "k"},
    )


@pytest.mark.parametrize("url", ["rummy.example", "ftp://rummy.example", "https://a/b", "https://"])
def test_a_public_address_that_is_none_does_not_start(monkeypatch, url):
    monkeypatch.setenv("PUBLIC_URL", url)

    with pytest.raises(ImproperlyConfigured):
        environment.public_url()


def test_razorpay_without_its_secrets_does_not_start(monkeypatch):
    monkeypatch.setenv("DEPOSIT_GATEWAY", "razorpay")

    with pytest.raises(ImproperlyConfigured):
        environment.deposit_gateway()
