"""A signed-in client of the API, and reading on in its lists."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, urlsplit

from rest_framework.test import APIClient

from players.accounts.models import User


def api_client(player: User) -> APIClient:
    client = APIClient()
    client.force_login(player)
    return client


def asked_next(page: dict[str, Any]) -> dict[str, str]:
    """Return the parameters of the address of the next page."""
    asked = parse_qs(urlsplit(page["next"]).query, strict_parsing=True)
    return {name: value for name, (value,) in asked.items()}
