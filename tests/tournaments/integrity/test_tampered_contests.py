"""The audit finds nothing in valid tournaments, and reports every alteration of a catalogue.

Each row of the catalogue is a statement on a valid tournament, executed without the triggers.
Differences from row versions, which another check finds, do not count here.
"""

from collections import defaultdict
from pathlib import Path

import pytest

from tests.builders.tables.play_tamperings import read, tamper
from tests.builders.tournaments.played_contests import CONTESTS
from tests.builders.wallet.tax_office import undone
from tournaments.integrity import contest_audit
from wallet.audit.audit import Finding, check_findings, row_findings
from wallet.audit.starts import BEGINNING

pytestmark = [pytest.mark.django_db, pytest.mark.timeout(600)]

BUILDERS = Path(__file__).parents[2] / "builders"
CATALOGUE = read(BUILDERS / "tournaments/contest_tamperings.txt")
BY_CONTEST = defaultdict(list)
for each in CATALOGUE:
    BY_CONTEST[each.game].append(each)


def named_by_the_audit():
    return {
        f"{found.check} {found.subject}"
        for found in contest_audit.findings(BEGINNING)
        if isinstance(found, Finding)
    }


@pytest.mark.parametrize("contest", CONTESTS)
def test_audit_of_a_tournament_is_clean_until_a_row_is_altered(contest, subtests):
    make, state = CONTESTS[contest]
    tournament = make()
    assert tournament.state == state
    assert named_by_the_audit() == set()
    *_, last = contest_audit.findings(BEGINNING)
    assert int(str(last).removesuffix(" tournaments compared with their tables")) >= 1
    assert (check_findings()[0], row_findings()) == ((), ())

    for tampering in BY_CONTEST[contest]:
        with subtests.test(tampering.name), undone():
            key = tamper(tournament.pk, tampering.statement)
            reported = named_by_the_audit()
            named = tampering.named.format(t=tournament.pk, one=key)
            # If any row of a kind may be reported, the catalogue has only the kind.
            assert any(each == named or each.startswith(f"{named} ") for each in reported), reported


def test_catalogue_is_long_and_its_names_are_unique():
    assert len(CATALOGUE) >= 48
    assert len({tampering.name for tampering in CATALOGUE}) == len(CATALOGUE)
    assert set(BY_CONTEST) <= set(CONTESTS)
