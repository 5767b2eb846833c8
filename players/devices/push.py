"""Web Push: encrypting a message for one browser and handing it to that browser's push service.

Endpoints are addresses that a player's browser names, so they are somebody else's input: only
HTTPS at its own port, only hosts of the public internet, looked up once and connected to as they
were looked up; no redirect is followed, no answer is read beyond its status, and a whole exchange
ends after `DEADLINE_SECONDS`.
"""

from __future__ import annotations

import socket
import ssl
from base64 import b64decode, urlsafe_b64decode
from binascii import Error as BadBase64
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from http.client import HTTPException, HTTPSConnection
from threading import Timer
from typing import Final
from urllib.parse import SplitResult, urlsplit

import http_ece
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from django.conf import settings
from py_vapid import Vapid02
from py_vapid.utils import b64urlencode

from core.addresses import is_public

ENDPOINT_CHARACTERS_MAX: Final = 1000
PORTS: Final = frozenset({443})
# Of each step: looking up and connecting, sending, waiting for an answer.
STEP_SECONDS: Final = 5.0
DEADLINE_SECONDS: Final = 10.0
AUTH_BYTES: Final = 16
# What push services take is one record of this size; a message and what encrypts it fit into it.
RECORD_BYTES: Final = 4096
MESSAGE_BYTES_MAX: Final = 3000


class NotSentError(Exception):
    """A push service did not take a message; it is not sent again."""


class SubscriptionGoneError(NotSentError):
    """The push service no longer knows the endpoint (404, 410)."""


def is_available() -> bool:
    """Return whether this installation has a key to send with."""
    return bool(settings.PUSH_PRIVATE_KEY)


@cache
def _vapid(private_key: str) -> Vapid02:
    return Vapid02.from_raw(private_key.encode())


def public_key() -> str:
    """Return the key that browsers subscribe with; "" without one."""
    if not is_available():
        return ""
    point = _vapid(settings.PUSH_PRIVATE_KEY).public_key.public_bytes(
        Encoding.X962, PublicFormat.UncompressedPoint
    )
    return str(b64urlencode(point))


def is_endpoint(text: str) -> bool:
    """Return whether a text may be the address of a push service.

    >>> is_endpoint("https://push.example.com/1"), is_endpoint("https://127.0.0.1/")
    (True, False)
    """
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        return False
    host = parts.hostname or ""
    is_address = host.replace(".", "").isdecimal() or ":" in host
    return (
        len(text) <= ENDPOINT_CHARACTERS_MAX
        and text.isascii()
        and text.isprintable()
        and " " not in text
        and parts.scheme == "https"
        and "@" not in parts.netloc
        and (port is None or port in PORTS)
        and ("." in host or ":" in host)
        and (not is_address or is_public(host))
    )


def are_keys(p256dh: str, auth: str) -> bool:
    """Return whether these are a point of the curve and a secret, as browsers give them."""
    try:
        ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), _decoded(p256dh))
        return len(_decoded(auth)) == AUTH_BYTES
    except (ValueError, BadBase64):
        return False


def send(*, endpoint: str, p256dh: str, auth: str, message: bytes, ttl: int, topic: str) -> None:
    """Send a message to one browser; raise `NotSentError` where its push service takes none.

    The service keeps it for `ttl` seconds, and of those of one topic the newest alone.
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
    status = _post(parts, body, headers)
    if status in (404, 410):
        raise SubscriptionGoneError(f"{parts.hostname} answered {status}")
    if not 200 <= status < 300:
        raise NotSentError(f"{parts.hostname} answered {status}")


class _PublicConnection(HTTPSConnection):
    """A connection to a host of the public internet, to the address that was checked."""

    is_cut = False

    def connect(self) -> None:
        found = socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)
        addresses = [str(each[4][0]) for each in found]
        if not addresses or not all(map(is_public, addresses)):
            raise NotSentError(f"{self.host} is no host of the public internet")
        # The shake of hands is a step that can be cut, too.
        self.sock = _tls().wrap_socket(
            self._connected(addresses),
            server_hostname=self.host,
            do_handshake_on_connect=False,
        )
        self._refuse_late()
        self.sock.do_handshake()

    def _connected(self, addresses: Sequence[str]) -> socket.socket:
        """Return a connection to the first address that takes one; a name may have hundreds."""
        for address in addresses:
            self._refuse_late()
            with suppress(OSError):
                return socket.create_connection((address, self.port), STEP_SECONDS)
        raise ConnectionError("no address takes a connection")

    def _refuse_late(self) -> None:
        if self.is_cut:
            raise TimeoutError("the deadline passed while there was no connection")

    def cut(self) -> None:
        """End the exchange, whatever the other end is doing."""
        self.is_cut = True  # First: there may be no socket yet.
        with suppress(OSError, TypeError):  # Nothing is connected yet, or no longer.
            socket.socket.shutdown(self.sock, socket.SHUT_RDWR)


@cache
def _tls() -> ssl.SSLContext:
    return ssl.create_default_context()


def _post(parts: SplitResult, body: bytes, headers: Mapping[str, str]) -> int:
    connection = _PublicConnection(parts.hostname or "", parts.port or 443)
    deadline = Timer(DEADLINE_SECONDS, connection.cut)
    deadline.daemon = True
    deadline.start()
    try:
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        connection.request("POST", path, body, dict(headers))
        return connection.getresponse().status
    except (OSError, HTTPException, ValueError) as error:  # The last by a socket that was cut.
        raise NotSentError(f"{parts.hostname}: {type(error).__name__}") from error
    finally:
        deadline.cancel()
        connection.close()


def _decoded(text: str) -> bytes:
    padded = text.encode() + b"=" * (-len(text) % 4)
    # The decoder for URLs skips what is no letter of it; the strict one raises.
    b64decode(padded.translate(bytes.maketrans(b"-_", b"+/")), validate=True)
    return urlsafe_b64decode(padded)
