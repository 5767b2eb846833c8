"""A player with money, the suspense account, and PostgreSQL servers that a test may kill."""

import pytest

from tests.builders.processes.dying_processes import Site
from tests.builders.wallet import players


@pytest.fixture
def asha():
    return players.fund(players.make_player(), deposit=100_00, winnings=50_00)


@pytest.fixture
def suspense():
    return players.suspense()


@pytest.fixture
def installation():
    installation = Site()
    try:
        installation.migrate()
        yield installation
    finally:
        installation.remove()
