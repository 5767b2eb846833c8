"""Verify and take in one webhook of the house; Python's own library is all it needs."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Mapping
from typing import Any

TOLERANCE_SECONDS = 300
"""How far the clocks of both sides may be apart; older messages are refused."""

SIGNED_BY = ("webhook-id", "webhook-timestamp", "webhook-signature")


def verified(body: bytes, headers: Mapping[str, str], secret: str) -> dict[str, Any]:
    """Return the event of a webhook; raise `ValueError` unless the operator has just sent it.

    `headers` are the request's, their names in small letters; `secret` is as the admin showed it.
    """
    if missing := [name for name in SIGNED_BY if name not in headers]:
        raise ValueError(f"not signed by the house: no {', no '.join(missing)}")
    moment = headers["webhook-timestamp"]
    if abs(time.time() - int(moment)) > TOLERANCE_SECONDS:
        raise ValueError("too old, or from the future")
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{headers['webhook-id']}.{moment}.".encode() + body
    expected = base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()
    # There are several while a secret is being replaced; one that fits is enough.
    for signature in headers["webhook-signature"].split():
        version, _comma, text = signature.partition(",")
        if version == "v1" and hmac.compare_digest(text.encode(), expected.encode()):
            message: dict[str, Any] = json.loads(body)
            return message
    raise ValueError("not signed by the house")


class Inbox:
    """Take each message once: the same id may come again, after a lost answer or by hand.

    It remembers while the process runs. A real receiver keeps the ids in its database, in the same
    transaction as what it does with the message, and so forgets neither.
    """

    def __init__(self, secret: str) -> None:
        self.secret = secret
        self.seen: set[str] = set()

    def take(self, body: bytes, headers: Mapping[str, str]) -> dict[str, Any] | None:
        """Return a new message, None for one that was taken before."""
        message = verified(body, headers, self.secret)
        if message["id"] in self.seen:
            return None
        self.seen.add(message["id"])
        return message
