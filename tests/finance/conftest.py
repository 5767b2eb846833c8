import pytest

from tests.builders.books.full_books import Desk


@pytest.fixture
def desk(client):
    """A client of the finance API with a token of all scopes."""
    return Desk(client)
