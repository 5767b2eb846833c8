"""Bots fill the free places of a practice tournament."""

import pytest

from tests.builders.tournaments.tournaments import enter, make_tournament
from tournaments.entries import bots
from tournaments.planning.locks import lock_tournament

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("people", [0, 2])
def test_bots_take_every_free_place(people):
    tournament = make_tournament(bots_fill=True)
    enter(tournament, people)

    filled = bots.fill(lock_tournament(pk=tournament.pk))

    assert len(filled) == tournament.entrants_max - people
    assert all(entry.player.is_bot for entry in filled)
    assert tournament.entries.standing().count() == tournament.entrants_max
