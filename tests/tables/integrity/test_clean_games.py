"""The audit of play has no findings for games played by their rules, of every kind."""

import pytest

from tables.integrity import play_audit
from tables.models.deals import Deal
from tests.builders.tables.played_games import GAMES
from wallet.audit.audit import Finding, row_findings
from wallet.audit.starts import BEGINNING

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("kind", GAMES)
def test_audit_of_a_played_game_is_clean(kind):
    make, phase = GAMES[kind]

    table = make()

    assert table.phase == phase
    said = list(play_audit.findings(BEGINNING))
    assert [each for each in said if isinstance(each, Finding)] == []
    assert row_findings() == ()
    over = Deal.objects.filter(status__in=["settled", "void"]).count()
    assert str(said[-1]) == f"{over} deals compared with their moves"
    assert over or kind == "running duel"
