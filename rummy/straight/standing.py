"""The winner of a game of several deals (RB 9.5)."""

from __future__ import annotations

from collections.abc import Sequence

from rummy.straight.rules import StraightRules


def winner(rules: StraightRules, totals: Sequence[int], *, deals: int) -> int | None:
    """Return the index of the winner after this number of deals, or None while the game continues.

    A game ends when a total reaches the target or the agreed deals are played. The highest total
    wins, with penalty scoring the lowest; tied leaders play on.

    >>> from rummy.straight.rules import STRAIGHT
    >>> winner(STRAIGHT, [99, 40], deals=5), winner(STRAIGHT, [40, 130], deals=6)
    (None, 1)
    >>> rounds = STRAIGHT.with_(game="rounds", target=None, rounds=3, scoring="penalty")
    >>> winner(rounds, [20, 35, 20], deals=3), winner(rounds, [20, 35, 31], deals=4)
    (None, 0)
    """
    best = min(totals) if rules.scoring == "penalty" else max(totals)
    is_clear = is_over(rules, totals, deals=deals) and totals.count(best) == 1
    return totals.index(best) if is_clear else None


def is_over(rules: StraightRules, totals: Sequence[int], *, deals: int) -> bool:
    """Return whether a total reaches the target, or the agreed deals are played.

    >>> from rummy.straight.rules import STRAIGHT
    >>> is_over(STRAIGHT, [99, 40], deals=5), is_over(STRAIGHT, [130, 130], deals=6)
    (False, True)
    """
    if rules.target is not None:
        return max(totals) >= rules.target
    assert rules.rounds is not None, "a game has a target or a number of rounds"
    return deals >= rules.rounds
