"""The webhook accepts only recent events with a signature over the raw body."""

import time

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.urls import reverse

from config import providers
from tests.builders.wallet.cashier_desk import make_deposit, money_of, order
from tests.builders.wallet.players import books
from wallet.deposits.deposits import apply_received
from wallet.gateways.sandbox import SIGNATURE_HEADER, sign
from wallet.gateways.sandbox_page import Sent, event_bodies

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("lawful", "untaxed")]


def knock(client, body, header, provider="sandbox"):
    return client.post(
        reverse("api-webhook", args=[provider]),
        body,
        content_type="application/json",
        headers={SIGNATURE_HEADER: header},
    )


def test_signed_event_is_accepted_without_a_session(client):
    deposit = make_deposit()
    [body] = event_bodies(order(deposit), [Sent()])

    answer = knock(client, body, sign(body))

    assert (answer.status_code, answer.json()) == (200, {"outcome": "received"})
    assert money_of(deposit)[0] == 0
    apply_received()
    assert money_of(deposit)[0] == 100_00


FORGED = [
    lambda body: (body, ""),
    lambda body: (body, "t=,v1="),
    lambda body: (body, "t=x,v1=é"),
    lambda body: (body.replace(b"10000", b"99999"), sign(body)),
    lambda body: (body + b" ", sign(body)),
    lambda body: (body, sign(body).replace("t=1", "t=2")),
    lambda body: (body, sign(body, at=time.time() - 301)),
    lambda body: (body, sign(body, at=time.time() + 3_600)),
]


def test_forged_changed_and_old_events_are_refused(client):
    deposit = make_deposit()
    before = books()
    [body] = event_bodies(order(deposit), [Sent()])

    for forge in FORGED:
        answer = knock(client, *forge(body))
        assert (answer.status_code, answer.json()["code"]) == (400, "bad_signature")
    assert books() == before


NONSENSE = [
    b"",
    b"[]",
    b"{",
    b"\xff",
    b'{"id": "e"}',
    b'{"id":"e","kind":"stolen","order":"o","payment":"p","amount_minor":1,"currency":"INR"}',
    b'{"id":"e","kind":"paid","order":"o","payment":"p","amount_minor":0,"currency":"INR"}',
    b'{"id":"e","kind":"paid","order":"o","payment":"p","amount_minor":-1,"currency":"INR"}',
    b'{"id":"e","kind":"paid","order":"o","payment":"p","amount_minor":1.5,"currency":"INR"}',
    b'{"id":"e","kind":"paid","order":"o","payment":"p","amount_minor":true,"currency":"INR"}',
    b'{"id":"e","kind":"paid","order":"o","payment":"p","amount_minor":1,"currency":"PTS"}',
    b'{"id":"e","kind":"paid","order":"o","payment":"p","amount_minor":1,"currency":"??"}',
    b'{"id":"\\u0000","kind":"paid","order":"o","payment":"p","amount_minor":1,"currency":"INR"}',
    b'{"id":["e"],"kind":"paid","order":"o","payment":"p","amount_minor":1,"currency":"INR"}',
    b'{"id":"e","kind":"paid","order":"o","payment":"p","amount_minor":1,"amount_minor":2,"currency":"INR"}',
    b"[" * 100_000,
    '{"id":"e","kind":"paid","order":"o","payment":"p","amount_minor":1,"currency":"INR"}'.encode(
        "utf-16-le"
    ),
]


def test_signed_nonsense_is_refused(client):
    before = books()

    for body in NONSENSE:
        answer = knock(client, body, sign(body))
        assert (answer.status_code, answer.json()["code"]) == (400, "unreadable_event"), body[:99]
    assert books() == before


def test_disabled_gateway_accepts_no_events(client, settings):
    assert knock(client, b"{}", sign(b"{}"), provider="other").status_code == 404
    settings.DEPOSIT_GATEWAY = ""
    assert knock(client, b"{}", sign(b"{}")).json()["code"] == "gateway_unknown"


def test_a_made_up_order_has_no_page(client):
    assert client.get(reverse("sandbox-pay", args=["made:up:order"])).status_code == 404


def test_the_sandbox_is_for_demos_and_tests_only(monkeypatch):
    monkeypatch.setattr(providers, "EPHEMERAL", False)
    monkeypatch.setattr(providers, "DEBUG", False)
    assert providers.deposit_gateway() == ""
    monkeypatch.setenv("DEPOSIT_GATEWAY", "sandbox")

    with pytest.raises(ImproperlyConfigured):
        providers.deposit_gateway()
