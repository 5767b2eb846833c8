"""Tournaments follow the clock of the database, not of the process."""

from datetime import timedelta

import pytest

from core.clock import database_now
from tests.builders.tables.making import make_player
from tests.builders.tournaments.tournaments import again, enter, make_sit_and_go, make_tournament
from tournaments.exceptions import RegistrationClosed
from tournaments.lobby import registration
from tournaments.planning.models import Tournament
from tournaments.tasks import sweep_tournaments

pytestmark = pytest.mark.django_db

WRONG = pytest.mark.parametrize("ahead", [100_000, -100_000])


@WRONG
def test_registration_closes_and_the_tournament_starts_by_the_database_clock(clocks, ahead):
    tournament = make_tournament(starts_in=60)
    with clocks.process_clock(ahead=ahead):
        enter(tournament, 3)
        sweep_tournaments()
        assert again(tournament).state == Tournament.State.REGISTERING
        clocks.let_pass(minutes=61)
        with pytest.raises(RegistrationClosed):
            enter(tournament)
        sweep_tournaments()
    assert again(tournament).state == Tournament.State.RUNNING


@WRONG
def test_practice_bots_join_by_the_database_clock(clocks, ahead):
    tournament = make_sit_and_go(bots_fill=True, currency="PTS", rake_bps=0)
    with clocks.process_clock(ahead=ahead):
        registration.register(tournament_id=tournament.pk, player=make_player())

    waits = again(tournament).due_at - database_now()
    assert registration.BOTS_WAIT - timedelta(seconds=5) < waits <= registration.BOTS_WAIT
