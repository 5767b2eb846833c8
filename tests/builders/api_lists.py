"""Reading on in the lists of the API."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, urlsplit


def asked_next(page: dict[str, Any]) -> dict[str, str]:
    """Return the parameters of the address of the next page."""
    asked = parse_qs(urlsplit(page["next"]).query, strict_parsing=True)
    return {name: value for name, (value,) in asked.items()}
