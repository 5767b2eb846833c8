"""The audit has no findings for valid tournaments of every kind."""

import pytest

from tests.builders.tournaments.played_contests import CONTESTS
from tournaments.integrity import contest_audit
from wallet.audit.audit import Finding, check_findings, row_findings
from wallet.audit.starts import BEGINNING

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("kind", CONTESTS)
def test_audit_of_a_tournament_by_the_rules_is_clean(kind):
    make, state = CONTESTS[kind]

    tournament = make()

    assert tournament.state == state
    found = list(contest_audit.findings(BEGINNING))
    assert [each for each in found if isinstance(each, Finding)] == []
    assert str(found[-1]).endswith(" tournaments compared with their tables")
    assert int(str(found[-1]).split()[0]) >= 1
    assert check_findings()[0] == ()
    assert row_findings() == ()
