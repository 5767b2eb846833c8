"""The audit of play reads many games with as many queries as one."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tables.integrity import play_audit
from tables.settlement.game_record import record_of
from tests.builders.tables.played_games import GAMES, deals, duel, rejoined_pool, split_pool
from wallet.audit.audit import Finding
from wallet.audit.starts import BEGINNING

pytestmark = pytest.mark.django_db


def queries_of_an_audit():
    with CaptureQueriesContext(connection) as asked:
        said = list(play_audit.findings(BEGINNING))
    assert not [each for each in said if isinstance(each, Finding)]
    return len(asked)


def test_number_of_queries_does_not_grow_with_the_number_of_games():
    for make in (duel, deals, split_pool):
        make()
    few = queries_of_an_audit()

    for make in (duel, deals, split_pool):
        make()

    assert queries_of_an_audit() == few
    assert few < 30


@pytest.mark.parametrize("make", [rejoined_pool, split_pool, GAMES["straight"][0]])
def test_record_has_the_totals_and_active_seats_that_the_table_has(make):
    table = make()

    record = record_of(table)

    assert len(record.seats) >= 3
    assert record.totals() == table.seats.totals()
    assert record.active() == list(table.seats.active().in_seat_order())
