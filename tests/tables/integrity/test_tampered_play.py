"""The audit of play finds nothing in games played by their rules, and names every altered row.

Each row of the catalogue is one statement on a game that was played by its rules, executed with the
guards off. That the row differs from its version is found by another check and not counted here.
"""

from collections import defaultdict

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tables.integrity import play_audit
from tables.models.deals import Deal
from tables.settlement.game_record import record_of
from tests.builders.processes.clocks import later
from tests.builders.tables.play_tamperings import CATALOGUE, tamper
from tests.builders.tables.played_games import GAMES, deals, duel, rejoined_pool, split_pool
from tests.builders.wallet.tax_office import undone
from wallet.audit.audit import Finding, row_findings
from wallet.audit.starts import BEGINNING

pytestmark = pytest.mark.django_db

# Of another table or of the versions of rows: what the catalogue does not count.
OTHERS = {"row_rewritten", "row_deleted", "row_unknown", "moves_rewritten", "result_prize"}
BY_GAME = defaultdict(list)
for each in CATALOGUE:
    BY_GAME[each.game].append(each)


def latest_rows(table):
    """Return the latest score, elimination and deal of a table."""
    with connection.cursor() as cursor:
        for name in ("score", "elimination", "deal"):
            cursor.execute(f"SELECT max(id) FROM tables_{name} WHERE table_id = %s", [table])
            yield name, cursor.fetchone()[0]


def named_by_the_audit():
    found = [each for each in play_audit.findings(BEGINNING) if isinstance(each, Finding)]
    return {f"{each.check} {each.subject}" for each in (*found, *row_findings())}


@pytest.mark.parametrize("kind", GAMES)
def test_audit_of_a_played_game_is_clean_until_a_row_is_altered(kind, subtests):
    make, phase = GAMES[kind]
    table = make()
    assert table.phase == phase
    assert named_by_the_audit() == set()
    over = Deal.objects.filter(status__in=["settled", "void"]).count()
    *_, last = play_audit.findings(BEGINNING)
    assert str(last) == f"{over} deals compared with their moves"
    assert over or kind == "running duel"

    for tampering in BY_GAME[kind]:
        with subtests.test(tampering.name), undone():
            key = tamper(table.pk, tampering.statement)
            named = tampering.named.format(t=table.pk, one=key, **dict(latest_rows(table.pk)))
            said = {each for each in named_by_the_audit() if each.split()[0] not in OTHERS}
            assert named in said, said
            assert not any(each.startswith("audit_failed") for each in said)


def test_the_catalogue_is_long_and_names_each_check_of_play():
    checks = {each.named.split()[0] for each in CATALOGUE}

    assert len(CATALOGUE) >= 42
    assert len({each.name for each in CATALOGUE}) == len(CATALOGUE)
    assert len(checks) >= 25
    assert set(BY_GAME) <= set(GAMES)


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


def test_games_of_two_days_are_compared_with_their_moves_together():
    duel()

    with later(days=1):
        duel()

        assert named_by_the_audit() == set()


@pytest.mark.parametrize("make", [rejoined_pool, split_pool, GAMES["straight"][0]])
def test_record_has_the_totals_and_active_seats_that_the_table_has(make):
    table = make()

    record = record_of(table)

    assert len(record.seats) >= 3
    assert record.totals() == table.seats.totals()
    assert record.active() == list(table.seats.active().in_seat_order())
