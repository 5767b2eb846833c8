"""Codes of a second factor, as an authenticator app computes them."""

from __future__ import annotations

import base64
import hmac
import struct
import time


def code_of(secret: str, *, later: float = 0) -> str:
    """Return the app's code after this many seconds (RFC 6238)."""
    counter = struct.pack(">Q", int(time.time() + later) // 30)
    digest = hmac.digest(base64.b32decode(secret), counter, "sha1")
    offset = digest[-1] & 0xF
    value = struct.unpack(">I", digest[offset : offset + 4])[0] & 0x7FFF_FFFF
    return f"{value % 1_000_000:06}"
