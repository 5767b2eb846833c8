"""A player who has something on every page, for the tests that open each of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.core.management import call_command

from players.accounts.models import User
from tests.builders.books.sample_books import make_sample_books
from tests.builders.people.every_page import player_with_every_kind, values_in_addresses
from tests.builders.tables.disputes import complain, played_deal


@pytest.fixture
def player(db: None, lawful: None) -> User:
    return player_with_every_kind()


@pytest.fixture
def known(player: Any) -> dict[str, list[str]]:
    """Return values for URL parameters; a route with another parameter fails the test."""
    return values_in_addresses(player)


@pytest.fixture(scope="module")
def books(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """Commit sample books with a dispute, so that each list of the admin has rows."""
    with django_db_blocker.unblock():
        try:
            make_sample_books()
            complain(played_deal())
            yield
        finally:
            call_command("flush", verbosity=0, interactive=False)
