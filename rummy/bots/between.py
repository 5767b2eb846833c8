"""What a bot answers between two deals of a pool: whether it rejoins, whether it splits (RB 7)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rummy.bots.stakes import shares
from rummy.notation.rules import Rules

CONTENT: Final = 0.97
"""A certain share is taken for this much of an uncertain one."""


def rejoins(
    rules: Rules, survivors: Sequence[int], *, score: int, prize: int, entry: int, net: int
) -> bool:
    """Return whether another entry is worth its price: a share of a prize that it adds `net` to.

    >>> from rummy.notation.profiles import PROFILES
    >>> rules = PROFILES["total-rummy-pool-101"]
    >>> money = {"prize": 600, "entry": 100, "net": 100}
    >>> rejoins(rules, [0, 20, 30], score=31, **money)
    True
    >>> rejoins(rules, [0, 5, 20, 20, 79], score=80, **money)
    False
    """
    own = shares([*survivors, score], rules)[-1]
    return own * (prize + net) > entry


def splits(rules: Rules, totals: Sequence[int], *, own: int, offered: int, prize: int) -> bool:
    """Return whether what a split pays is worth more than playing on; `own` is a place from 0.

    >>> from rummy.notation.profiles import PROFILES
    >>> rules = PROFILES["total-rummy-pool-101"]
    >>> [splits(rules, [20, 90], own=0, offered=offered, prize=400) for offered in (200, 350)]
    [False, True]
    """
    return offered >= CONTENT * shares(totals, rules)[own] * prize
