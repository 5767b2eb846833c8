"""A player who is signed in."""

import pytest

from tests.builders.wallet.players import make_player


@pytest.fixture
def me(client):
    player = make_player()
    client.force_login(player)
    return player
