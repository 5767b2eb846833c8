"""The audit of tournaments reports every alteration of a catalogue.

Each row of the catalogue is a statement on a valid tournament, executed without the triggers.
Differences from row versions, which another check finds, do not count here.
"""

from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.builders.tournaments.played_contests import CONTESTS
from tests.builders.wallet.tax_office import undone, unguarded
from tournaments.integrity import contest_audit
from wallet.audit.audit import Finding
from wallet.audit.starts import BEGINNING

pytestmark = [pytest.mark.django_db, pytest.mark.timeout(600)]

CATALOGUE = Path(__file__).parents[2] / "builders/tournaments/contest_tamperings.txt"


class Tampering(NamedTuple):
    name: str
    contest: str
    statement: str
    named: str


LINES = [line for line in CATALOGUE.read_text().splitlines() if line and not line.startswith("#")]
ALL = [Tampering(*line.split(" | ")) for line in LINES]
BY_CONTEST = defaultdict(list)
for each in ALL:
    BY_CONTEST[each.contest].append(each)


def tamper(tournament, statement):
    """Execute the statement and return the key that it chose."""
    which, _, then = statement.rpartition(" -> ")
    with unguarded() as cursor:
        key = None
        if which:
            cursor.execute(which.format(t=tournament))
            key = cursor.fetchone()[0]
        cursor.execute(then.format(t=tournament, one=key))
        assert cursor.rowcount != 0
    return key


def named_by_the_audit():
    return {
        f"{found.check} {found.subject}"
        for found in contest_audit.findings(BEGINNING)
        if isinstance(found, Finding)
    }


@pytest.mark.parametrize("contest", BY_CONTEST)
def test_audit_reports_an_altered_tournament(contest):
    tournament = CONTESTS[contest][0]().pk
    before = named_by_the_audit()
    missed = {}

    for tampering in BY_CONTEST[contest]:
        with undone():
            key = tamper(tournament, tampering.statement)
            reported = named_by_the_audit()
        named = tampering.named.format(t=tournament, one=key)
        # If any row of a kind may be reported, the catalogue has only the kind.
        if not any(each == named or each.startswith(f"{named} ") for each in reported):
            missed[tampering.name] = (named, reported)

    assert before == set()
    assert missed == {}


def test_catalogue_is_long_and_its_names_are_unique():
    assert len(ALL) >= 48
    assert len({tampering.name for tampering in ALL}) == len(ALL)
    assert set(BY_CONTEST) <= set(CONTESTS)
