"""Counts of all lines of play (perft), which any change of the rules would alter."""

from __future__ import annotations

import pytest

from rummy import PROFILES, Show
from rummy.thirteen import Deal, apply, legal_moves, status
from tests.builders.cards.dealing import deal_of


def lines(deal: Deal, depth: int) -> int:
    """How many sequences of legal moves of this length there are; shows end a line."""
    position = status(deal).to_act
    if depth == 0 or position is None:
        return 1
    count = 0
    for move in legal_moves(deal, position):
        if isinstance(move, Show):
            count += 1
        else:
            count += lines(apply(deal, move), depth - 1)
    return count


LINES = {
    ("total-rummy-points", 2): (3, 28, 78, 724),
    ("total-rummy-pool-61", 3): (3, 33, 113, 945),
    ("total-rummy-pool-101", 2): (3, 29, 79, 724),
    ("total-rummy-pool-201", 6): (3, 31, 107, 859),
    ("total-rummy-best-of-2", 2): (2, 28, 50, 720),
    ("total-rummy-best-of-3", 2): (2, 27, 52, 747),
    ("total-rummy-best-of-6", 4): (3, 31, 105, 772),
    ("rummycentral-points", 2): (3, 29, 80, 741),
    ("vengala-points", 4): (3, 31, 111, 932),
    ("vengala-pool-101", 2): (3, 31, 87, 799),
    ("vengala-pool-201", 5): (3, 29, 103, 825),
}


@pytest.mark.parametrize(("name", "players"), LINES)
def test_legal_lines_from_fixed_seeds(name: str, players: int) -> None:
    deal = deal_of(f"lines of {name}", rules=PROFILES[name], players=players)

    assert tuple(lines(deal, depth) for depth in range(1, 5)) == LINES[name, players]


def test_every_way_to_move_has_its_lines_counted() -> None:
    def way(name: str) -> tuple[bool, str]:
        rules = PROFILES[name]
        return rules.drops_allowed, rules.open_joker

    assert {way(name) for name, _ in LINES} == set(map(way, PROFILES))
