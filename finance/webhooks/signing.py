"""Sign deliveries: HMAC-SHA256 over id, timestamp and body (Standard Webhooks 1.0)."""

from __future__ import annotations

import base64
import hashlib
import hmac
from datetime import datetime
from typing import Final

from django.conf import settings
from django.utils.crypto import salted_hmac

from finance.webhooks.models import WebhookEndpoint

SALT: Final = "finance.webhooks"
PREFIX: Final = "whsec_"


def secret_of(endpoint: WebhookEndpoint) -> str:
    """Return the current secret in the receiver's format."""
    return PREFIX + base64.b64encode(_derived(endpoint, endpoint.secret_no)).decode()


def signed_headers(
    endpoint: WebhookEndpoint, *, message_id: str, body: bytes, now: datetime
) -> dict[str, str]:
    """Return the id, timestamp and signature headers, with one signature for each valid secret.

    Valid are the current secret, for a day the former one, and both as derived from the
    installation's former keys (`SECRET_KEY_FALLBACKS`).
    """
    moment = str(int(now.timestamp()))
    signed = f"{message_id}.{moment}.".encode() + body
    signatures = [
        base64.b64encode(hmac.digest(secret, signed, hashlib.sha256)).decode()
        for secret in _secrets(endpoint, now)
    ]
    return {
        "webhook-id": message_id,
        "webhook-timestamp": moment,
        "webhook-signature": " ".join(f"v1,{signature}" for signature in signatures),
    }


def _secrets(endpoint: WebhookEndpoint, now: datetime) -> list[bytes]:
    numbers = [endpoint.secret_no]
    if endpoint.former_secret_until and endpoint.former_secret_until > now:
        numbers.append(endpoint.secret_no - 1)
    keys = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    return [_derived(endpoint, number, key) for key in keys for number in numbers]


def _derived(endpoint: WebhookEndpoint, number: int, key: str | None = None) -> bytes:
    value = f"{endpoint.pk}:{number}"
    return salted_hmac(SALT, value, secret=key, algorithm="sha256").digest()
