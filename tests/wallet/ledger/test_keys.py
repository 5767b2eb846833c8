"""A transfer's facts are columns; no code parses its key."""

import re
from pathlib import Path

import pytest

from tests.builders.wallet.bonus_desk import join, rupees
from tests.builders.wallet.players import fund, make_escrow, make_player
from wallet.stakes import stacks
from wallet.stakes.receipts import cash_out

pytestmark = pytest.mark.django_db
TOP = Path(__file__).parents[3]
TAKEN_APART = re.compile(
    r"\bkey\.(partition|split|removeprefix|startswith)|\bkey__(startswith|contains|regex)"
    r"|Substr\(\s*\"\w*key\"|\bkey (LIKE|~)|split_part\([^)]*\bkey\b",
)


def test_no_code_parses_transfer_keys():
    sources = [
        path
        for app in ("wallet", "finance", "tables", "tournaments", "staff")
        for path in [*(TOP / app).rglob("*.py"), *(TOP / app).rglob("*.sql")]
        if "migrations" not in path.parts
    ]

    assert len(sources) > 300
    assert [str(path) for path in sources if TAKEN_APART.search(path.read_text())] == []


def test_cash_out_receipt_covers_only_its_own_session():
    player, escrow = make_player(), make_escrow()
    fund(player, deposit=900_00)
    ends = []
    for number, entries in enumerate([(100,), (200, 50)]):
        for entry in entries:
            join(player, entry=entry, escrow=escrow)
        out = {"escrow": escrow, "player": player, "closes_game": False}
        ends.append(stacks.cash_out(key=f"end {number}", **out))

    shown = [cash_out(end, tuple(end.entries.select_related("account")))[1] for end in ends]

    assert [lines[0].money for lines in shown] == [rupees(100), rupees(250)]
