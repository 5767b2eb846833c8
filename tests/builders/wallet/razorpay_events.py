"""Webhook messages of Razorpay."""

from __future__ import annotations

import hashlib
import hmac
import json

from django.urls import reverse

from wallet.deposits.deposits import apply_event
from wallet.deposits.models import GatewayEvent


def event(name="payment_link.paid", amount=100_00, payment="pay_1", **facts):
    link = {"id": "plink_1", "amount": 100_00, "currency": "INR"}
    payload = {"payment_link": {"entity": link}}
    if name == "payment_link.paid":
        paid = {"id": payment, "amount": amount, "currency": "INR", "status": "captured"}
        payload["payment"] = {"entity": paid | facts}
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
