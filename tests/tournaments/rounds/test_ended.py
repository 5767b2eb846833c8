"""Rows of a finished tournament cannot change, even by the owner of the schema."""

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
from tests.builders.wallet.adjustments import make_staff
from tournaments.entries.models import RoundTable, Seating
from tournaments.planning.models import StaffAction, Tournament
from tournaments.rounds import stopping
from wallet.audit.audit import row_findings

pytestmark = pytest.mark.django_db

KEPT = "is over|once|keeps its terms"
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


def test_rows_of_a_finished_tournament_cannot_change(ended, owner):
    assert ended.state == Tournament.State.FINISHED
    before = list(ended.entries.values_list("pk", "place", "prize_minor", "state"))

    for role, statements in ((nullcontext, CHANGES), (owner, CHANGES + OF_THE_OWNER)):
        for statement in statements:
            with role(), pytest.raises(IntegrityError, match=KEPT), transaction.atomic():
                connection.cursor().execute(statement)

    tick(ended)  # A late sweep has no effect.
    assert list(ended.entries.values_list("pk", "place", "prize_minor", "state")) == before
    assert row_findings() == ()


@pytest.mark.parametrize("change", ["done_at = NULL", "done_at = done_at + interval '1 day'"])
def test_carried_out_staff_action_cannot_change(change, owner):
    tournament = make_tournament()
    stopping.cancel(tournament_id=tournament.pk, by=make_staff(), reason="Too few")
    done_at = StaffAction.objects.get().done_at

    for role in (nullcontext, owner):
        with role(), pytest.raises(IntegrityError, match="done once"), transaction.atomic():
            connection.cursor().execute(f"UPDATE tournaments_staffaction SET {change}")

    assert StaffAction.objects.get().done_at == done_at is not None


def test_round_refuses_foreign_tables_and_players(owner):
    """Results of another table, and players of another tournament, are refused."""
    mine, other = (make_tournament(seats=3, final_seats=3, entrants_max=3) for _ in range(2))
    for tournament in (mine, other):
        enter(tournament, 3)
        start(tournament)
        tick(tournament)
    place, elsewhere = (
        RoundTable.objects.get(round__tournament=tournament) for tournament in (mine, other)
    )
    assert place.table_id != elsewhere.table_id is not None
    spare = RoundTable.objects.create(round=place.round, no=2, qualify=1)
    stranger = other.entries.first()

    for role in (nullcontext, owner):
        for name, moved, table in (
            ("1", place, elsewhere.table_id),
            ("2", spare, elsewhere.table_id),
        ):
            with (
                role(),
                pytest.raises(IntegrityError, match=f"round table {name} of round .* cannot use"),
                transaction.atomic(),
            ):
                RoundTable.objects.filter(pk=moved.pk).update(table=table)
        for seating in (
            Seating(round=place.round, round_table=place, entry=stranger),
            Seating(round=elsewhere.round, round_table=place, entry=stranger),
        ):
            with (
                role(),
                pytest.raises(IntegrityError, match=r"of another round|seating_once"),
                transaction.atomic(),
            ):
                seating.save(force_insert=True)
