"""Servers of PostgreSQL's that a test may kill."""

import pytest

from tests.builders.processes.dying_house import House


@pytest.fixture
def house():
    house = House()
    try:
        house.migrate()
        yield house
    finally:
        house.remove()
