"""Webhook messages of Razorpay, and a simulated network for its library."""

from __future__ import annotations

import hashlib
import hmac
import json

import pytest
import requests
from django.urls import reverse
from moneyed import Money

from tests.builders.wallet.cashier_desk import make_depositor, start_deposit
from wallet.deposits.deposits import apply_event
from wallet.deposits.models import GatewayEvent

LOST = "payment.dispute.lost"
LINK = {"id": "plink_1", "short_url": "https://rzp.io/i/abc", "status": "created"}


def simulate_network(monkeypatch: pytest.MonkeyPatch):
    """Answer the library's requests; return the list of what was requested, and of the answers.

    Each request takes the next answer, a status and its content or an exception; the last answer
    repeats.
    """
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


def event(name="payment_link.paid", amount=100_00, payment="pay_1", **facts):
    link = {"id": "plink_1", "amount": 100_00, "currency": "INR"}
    payload = {"payment_link": {"entity": link}}
    if name == "payment_link.paid":
        paid = {"id": payment, "amount": amount, "currency": "INR", "status": "captured"}
        payload["payment"] = {"entity": paid | facts}
    return json.dumps({"event": name, "payload": payload}).encode()


def return_event(name, *, amount=100_00, payment="pay_1", case="disp_1", **facts):
    kind = "refund" if name.startswith("refund") else "dispute"
    about = {"id": case, "payment_id": payment, "amount": amount, "currency": "INR"}
    payload = {
        "payment": {"entity": {"id": payment, "amount": 100_00, "currency": "INR"}},
        kind: {"entity": about | facts},
    }
    return json.dumps({"event": name, "payload": payload}).encode()


def knock(client, body, *, signature=None, number="evt_1", secret=b"hook"):
    mac = hmac.new(secret, body, hashlib.sha256).hexdigest()
    headers = {
        "X-Razorpay-Signature": mac if signature is None else signature,
        "X-Razorpay-Event-Id": number,
    }
    url = reverse("api-webhook", args=["razorpay"])
    answer = client.post(url, body, content_type="application/json", headers=headers)
    outcome = answer.json().get("outcome") or answer.json()["code"]
    if outcome == "received":
        outcome = str(apply_event(event_id=GatewayEvent.objects.latest("pk").pk))
    return answer.status_code, outcome
