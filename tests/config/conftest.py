"""A player who has something on every page, for the tests that open each of them."""

from __future__ import annotations

from typing import Any

import pytest

from players.accounts.models import User
from tests.builders.people.every_page import player_with_every_kind, values_in_addresses


@pytest.fixture
def player(db: None, lawful: None) -> User:
    return player_with_every_kind()


@pytest.fixture
def known(player: Any) -> dict[str, list[str]]:
    """Return values for URL parameters; a route with another parameter fails the test."""
    return values_in_addresses(player)
