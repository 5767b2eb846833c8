"""Web Push: encrypt a message for one browser and send it to the browser's push service.

Endpoints are untrusted input from the player's browser; see `core.http.outgoing`.
"""

from __future__ import annotations

from base64 import b64decode, urlsafe_b64decode
from binascii import Error as BadBase64
from functools import cache
from typing import Final
from urllib.parse import urlsplit

import http_ece
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from django.conf import settings
from py_vapid import Vapid02
from py_vapid.utils import b64urlencode

from core.http import outgoing
from core.http.outgoing import NotSentError

AUTH_BYTES: Final = 16
# Push services accept one record of this size, which must contain the encrypted message.
RECORD_BYTES: Final = 4096
MESSAGE_BYTES_MAX: Final = 3000


class SubscriptionGoneError(NotSentError):
    """The endpoint no longer exists (404, 410)."""


def is_available() -> bool:
    """Return whether a private key for push messages is configured."""
    return bool(settings.PUSH_PRIVATE_KEY)


@cache
def _vapid(private_key: str) -> Vapid02:
    return Vapid02.from_raw(private_key.encode())


def public_key() -> str:
    """Return the key that browsers subscribe with; "" if none is configured."""
    if not is_available():
        return ""
    point = _vapid(settings.PUSH_PRIVATE_KEY).public_key.public_bytes(
        Encoding.X962, PublicFormat.UncompressedPoint
    )
    return str(b64urlencode(point))


def are_keys(p256dh: str, auth: str) -> bool:
    """Return whether these are a valid public key (a point on P-256) and a 16-byte secret."""
    try:
        ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), _decoded(p256dh))
        return len(_decoded(auth)) == AUTH_BYTES
    except (ValueError, BadBase64):
        return False


def send(*, endpoint: str, p256dh: str, auth: str, message: bytes, ttl: int, topic: str) -> None:
    """Send a message to one browser; raise `NotSentError` if its push service refuses it.

    The service keeps it for `ttl` seconds, and only the newest message of each topic.
    """
    assert len(message) <= MESSAGE_BYTES_MAX, "a message fits one record"
    body = http_ece.encrypt(
        message,
        private_key=ec.generate_private_key(ec.SECP256R1()),
        dh=_decoded(p256dh),
        auth_secret=_decoded(auth),
        version="aes128gcm",
        rs=RECORD_BYTES,
    )
    parts = urlsplit(endpoint)
    claims = {"aud": f"https://{parts.netloc}", "sub": settings.PUSH_CONTACT}
    headers = {
        **_vapid(settings.PUSH_PRIVATE_KEY).sign(claims),
        "Content-Encoding": "aes128gcm",
        "Content-Type": "application/octet-stream",
        "TTL": str(ttl),
        "Urgency": "high",
        "Topic": topic,
    }
    status = outgoing.post(endpoint, body, headers)
    if status in (404, 410):
        raise SubscriptionGoneError(f"{parts.hostname} answered {status}")
    if not 200 <= status < 300:
        raise NotSentError(f"{parts.hostname} answered {status}")


def _decoded(text: str) -> bytes:
    padded = text.encode() + b"=" * (-len(text) % 4)
    # urlsafe_b64decode ignores invalid characters; the strict decoder raises.
    b64decode(padded.translate(bytes.maketrans(b"-_", b"+/")), validate=True)
    return urlsafe_b64decode(padded)
