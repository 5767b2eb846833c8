"""Keyed hashes of what identifies a person: the same text is found again, and read by nobody."""

from __future__ import annotations

import hmac


def keyed_hash(key: bytes | str, text: str) -> str:
    """Return the HMAC of a text in hexadecimal; begin the text with what it is a hash of."""
    secret = key.encode() if isinstance(key, str) else key
    return hmac.digest(secret, text.encode(), "sha256").hex()
