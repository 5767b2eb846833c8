"""A bot's decisions between two deals of a pool: to rejoin and to split (RB 7).

Its chance of the prize is estimated by the totals, within the interval of the measured tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rummy.bots.stakes import shares
from rummy.money.pool import drops_left
from rummy.notation.rules import Rules
from rummy.numbers.lookup import Estimate, expected_rejoin, expected_share

CONTENT: Final = 0.97
"""A certain share is preferred if it is at least this part of the expected one."""


def rejoins(
    rules: Rules, survivors: Sequence[int], *, score: int, prize: int, entry: int, net: int
) -> bool:
    """Return whether to rejoin: whether the expected share of the prize exceeds the price.

    The prize grows by `net`, the part of the entry that is not rake.

    >>> from rummy.notation.profiles import PROFILES
    >>> rules = PROFILES["total-rummy-pool-101"]
    >>> money = {"prize": 600, "entry": 100, "net": 100}
    >>> rejoins(rules, [0, 20, 30], score=31, **money)
    True
    >>> rejoins(rules, [0, 5, 20, 20, 79], score=80, **money)
    False
    """
    known = expected_rejoin(rules.name, survivors=len(survivors), drops=drops_left(score, rules))
    own = _within(known, shares([*survivors, score], rules)[-1])
    return own * (prize + net) > entry


def splits(rules: Rules, totals: Sequence[int], *, own: int, offered: int, prize: int) -> bool:
    """Return whether to split instead of playing on; `own` is the bot's index in `totals`.

    >>> from rummy.notation.profiles import PROFILES
    >>> rules = PROFILES["total-rummy-pool-101"]
    >>> [splits(rules, [20, 90], own=0, offered=offered, prize=400) for offered in (200, 350)]
    [False, True]
    """
    rank = sorted(range(len(totals)), key=lambda at: (totals[at], at)).index(own) + 1
    known = expected_share(rules.name, survivors=len(totals), rank=rank)
    return offered >= CONTENT * _within(known, shares(totals, rules)[own]) * prize


def _within(known: Estimate | None, share: float) -> float:
    """Return the estimated share of the prize, moved into the interval of the measured one."""
    return share if known is None else min(max(share, known.low / 100), known.high / 100)
