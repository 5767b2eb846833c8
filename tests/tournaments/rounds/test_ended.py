"""A tournament that is over stays as it ended, to the application and to the schema's owner."""

from contextlib import nullcontext

import pytest
from django.db import IntegrityError, connection, transaction

from tests.builders.tournaments.tournaments import (
    enter,
    make_tournament,
    play_to_the_end,
    start,
    tick,
)
from tournaments.planning.models import Tournament
from wallet.audit.audit import row_findings

pytestmark = pytest.mark.django_db

CHANGES = [
    "UPDATE tournaments_entry SET place = place + 1",
    "UPDATE tournaments_entry SET prize_minor = prize_minor + 1",
    "UPDATE tournaments_entry SET state = 'released'",
    "UPDATE tournaments_seating SET place = 1, qualified = NOT qualified",
    "UPDATE tournaments_seating SET total = 0",
    "UPDATE tournaments_round SET finished_at = NULL",
    "UPDATE tournaments_roundtable SET table_id = NULL, finished_at = NULL",
    "UPDATE tournaments_tournament SET state = 'aborted'",
    "UPDATE tournaments_tournament SET state = 'running', finished_at = NULL",
    "UPDATE tournaments_tournament SET prize_minor = prize_minor + 1",
]
OF_THE_OWNER = [
    "DELETE FROM tournaments_seating",
    "INSERT INTO tournaments_entry SELECT (e).* FROM (SELECT e FROM tournaments_entry AS e) AS t",
    "INSERT INTO tournaments_seating SELECT * FROM tournaments_seating",
    "INSERT INTO tournaments_round SELECT * FROM tournaments_round",
    "INSERT INTO tournaments_roundtable SELECT * FROM tournaments_roundtable",
    "DELETE FROM tournaments_roundtable",
]


@pytest.fixture
def ended():
    tournament = make_tournament(seats=3, final_seats=3)
    enter(tournament, 3)
    return play_to_the_end(start(tournament))


def test_places_seatings_and_the_tournament_itself_stay(ended, owner):
    assert ended.state == Tournament.State.FINISHED
    before = list(ended.entries.values_list("pk", "place", "prize_minor", "state"))

    for role, statements in ((nullcontext, CHANGES), (owner, CHANGES + OF_THE_OWNER)):
        for statement in statements:
            with role(), pytest.raises(IntegrityError, match="is over"), transaction.atomic():
                connection.cursor().execute(statement)

    tick(ended)  # A sweep that comes late changes nothing.
    assert list(ended.entries.values_list("pk", "place", "prize_minor", "state")) == before
    assert row_findings() == ()
