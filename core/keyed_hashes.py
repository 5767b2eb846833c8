"""Keyed hashes of personal data, which allow comparing values without storing them."""

from __future__ import annotations

import hmac


def keyed_hash(key: bytes | str, text: str) -> str:
    """Return the HMAC of a text in hexadecimal; begin the text with the kind of value."""
    secret = key.encode() if isinstance(key, str) else key
    return hmac.digest(secret, text.encode(), "sha256").hex()
