"""The audit of play names every row that does not match how the game was played.

Each row of the catalogue is one statement on a game that was played by its rules, executed with the
guards off. That the row differs from its version is found by another check and not counted here.
"""

import pytest

from tables.integrity import play_audit
from tests.builders.tables.play_tamperings import CATALOGUE
from tests.builders.tables.played_games import GAMES
from tests.builders.wallet.tax_office import unguarded
from wallet.audit.audit import Finding, row_findings
from wallet.audit.starts import BEGINNING

pytestmark = pytest.mark.django_db

# Of another table or of the versions of rows: what the catalogue does not count.
OTHERS = {"row_rewritten", "row_deleted", "row_unknown", "moves_rewritten", "result_prize"}


def latest(cursor, relation, table):
    cursor.execute(f"SELECT max(id) FROM {relation} WHERE table_id = %s", [table])
    return cursor.fetchone()[0]


@pytest.mark.parametrize(
    ("kind", "which", "statement", "named"),
    [pytest.param(*row[1:], id=row[0]) for row in CATALOGUE],
)
def test_altered_play_is_named_by_the_audit(kind, which, statement, named):
    table = GAMES[kind][0]().pk

    with unguarded() as cursor:
        cursor.execute(which.format(table=table))
        key = cursor.fetchone()[0]
        cursor.execute(statement.format(table=table, key=key))
        assert cursor.rowcount != 0
        rows = {
            name: latest(cursor, f"tables_{name}", table)
            for name in ("score", "elimination", "deal")
        }

    found = [each for each in play_audit.findings(BEGINNING) if isinstance(each, Finding)]
    found += row_findings()
    said = {f"{each.check} {each.subject}" for each in found if each.check not in OTHERS}
    assert named.format(table=table, key=key, **rows) in said, said
    assert not any(check.startswith("audit_failed") for check in said)


def test_the_catalogue_is_long_and_names_each_check_of_play():
    checks = {row[4].split()[0] for row in CATALOGUE}

    assert len(CATALOGUE) >= 42
    assert len({row[0] for row in CATALOGUE}) == len(CATALOGUE)
    assert len(checks) >= 25
