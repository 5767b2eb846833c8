"""Verify and accept webhooks; needs only Python's standard library."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Mapping
from typing import Any

TOLERANCE_SECONDS = 300
"""The permitted difference between both clocks; older messages are refused."""

SIGNED_BY = ("webhook-id", "webhook-timestamp", "webhook-signature")


def verified(body: bytes, headers: Mapping[str, str], secret: str) -> dict[str, Any]:
    """Return the message of a webhook; raise `ValueError` if its signature or time is not valid.

    `headers` are those of the request, with names in lower case; `secret` is the text that the
    admin shows.
    """
    if missing := [name for name in SIGNED_BY if name not in headers]:
        raise ValueError(f"not signed: the request has no {', no '.join(missing)}")
    moment = headers["webhook-timestamp"]
    if abs(time.time() - int(moment)) > TOLERANCE_SECONDS:
        raise ValueError("the time of the message is too old or in the future")
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{headers['webhook-id']}.{moment}.".encode() + body
    expected = base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()
    # While a secret is replaced there are several signatures; one valid signature is enough.
    for signature in headers["webhook-signature"].split():
        version, _comma, text = signature.partition(",")
        if version == "v1" and hmac.compare_digest(text.encode(), expected.encode()):
            message: dict[str, Any] = json.loads(body)
            return message
    raise ValueError("not signed with this secret")


class Inbox:
    """Accept each message once: it may be sent again after a lost answer or by staff.

    This example keeps the ids in memory. A real receiver stores the id in its database, in the
    same transaction as the effects of the message.
    """

    def __init__(self, secret: str) -> None:
        self.secret = secret
        self.seen: set[str] = set()

    def take(self, body: bytes, headers: Mapping[str, str]) -> dict[str, Any] | None:
        """Return a new message, or None if it was accepted before."""
        message = verified(body, headers, self.secret)
        if message["id"] in self.seen:
            return None
        self.seen.add(message["id"])
        return message
