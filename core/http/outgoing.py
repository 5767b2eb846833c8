"""POST requests to URLs from outside: a browser's push service, a webhook.

Only HTTPS on port 443 and only hosts of the public internet are allowed. The host name is resolved
once and the connection uses that address; redirects are not followed, of the answer only the status
is read, and the whole exchange ends after `DEADLINE_SECONDS`. An installation may allow addresses
of its own network for URLs that only its operators set.
"""

from __future__ import annotations

import socket
import ssl
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from threading import Timer
from typing import Final
from urllib.parse import urlsplit

from core.addresses import is_public

CHARACTERS_MAX: Final = 1000
PORTS: Final = frozenset({443})
# Seconds for each step: resolving and connecting, sending, waiting for the answer.
STEP_SECONDS: Final = 5.0
DEADLINE_SECONDS: Final = 10.0


class NotSentError(Exception):
    """The body could not be delivered, or there was no answer in time."""


def is_target(text: str, *, is_private_allowed: bool = False) -> bool:
    """Return whether a text is an allowed URL for `post`.

    >>> is_target("https://push.example.com/1"), is_target("https://127.0.0.1/")
    (True, False)
    >>> is_target("http://127.0.0.1:9000/hook", is_private_allowed=True)
    True
    """
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        return False
    host = parts.hostname or ""
    is_plain = (
        len(text) <= CHARACTERS_MAX
        and text.isascii()
        and text.isprintable()
        and " " not in text
        and "@" not in parts.netloc
        and bool(host)
    )
    if is_private_allowed:
        return is_plain and parts.scheme in ("http", "https")
    is_address = host.replace(".", "").isdecimal() or ":" in host
    return (
        is_plain
        and parts.scheme == "https"
        and (port is None or port in PORTS)
        and ("." in host or ":" in host)
        and (not is_address or is_public(host))
    )


def post(
    url: str, body: bytes, headers: Mapping[str, str], *, is_private_allowed: bool = False
) -> int:
    """Post a body and return the status; raise `NotSentError` without an answer."""
    parts = urlsplit(url)
    is_plain = parts.scheme == "http" and is_private_allowed
    kind = _PlainConnection if is_plain else _Connection
    connection = kind(parts.hostname or "", parts.port or (80 if is_plain else 443))
    connection.is_private_allowed = is_private_allowed
    deadline = Timer(DEADLINE_SECONDS, connection.cut)
    deadline.daemon = True
    deadline.start()
    try:
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        connection.request("POST", path, body, dict(headers))
        return connection.getresponse().status
    # The last one is raised by a closed socket.
    except (OSError, HTTPException, ValueError) as error:
        raise NotSentError(f"{parts.hostname}: {type(error).__name__}") from error
    finally:
        deadline.cancel()
        connection.close()


class _PlainConnection(HTTPConnection):
    """A connection to the checked address that another thread can abort."""

    is_cut = False
    is_private_allowed = False

    def connect(self) -> None:
        found = socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)
        addresses = [str(each[4][0]) for each in found]
        if not addresses or not (self.is_private_allowed or all(map(is_public, addresses))):
            raise NotSentError(f"{self.host} is not a host of the public internet")
        self.sock = self._connected(addresses)

    def _connected(self, addresses: Sequence[str]) -> socket.socket:
        """Return a connection to the first reachable address; a name may have hundreds."""
        for address in addresses:
            self.refuse_late()
            with suppress(OSError):
                return socket.create_connection((address, self.port), STEP_SECONDS)
        raise ConnectionError("no address accepted a connection")

    def refuse_late(self) -> None:
        if self.is_cut:
            raise TimeoutError("the deadline passed before there was a connection")

    def cut(self) -> None:
        """Abort the exchange at any step."""
        self.is_cut = True  # Set first, because there may be no socket yet.
        with suppress(OSError, TypeError):  # Not connected yet, or no longer.
            socket.socket.shutdown(self.sock, socket.SHUT_RDWR)


class _Connection(_PlainConnection, HTTPSConnection):
    """A `_PlainConnection` with TLS."""

    def connect(self) -> None:
        super().connect()
        # The TLS handshake can be aborted too.
        self.sock = _tls().wrap_socket(
            self.sock, server_hostname=self.host, do_handshake_on_connect=False
        )
        self.refuse_late()
        self.sock.do_handshake()


@cache
def _tls() -> ssl.SSLContext:
    return ssl.create_default_context()
