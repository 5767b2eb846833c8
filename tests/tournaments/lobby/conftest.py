"""Fixture: a signed-in player."""

import pytest

from tests.builders.tables.making import make_player


@pytest.fixture
def player(client):
    player = make_player()
    client.force_login(player)
    return player
