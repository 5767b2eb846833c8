"""Deals rummy: chips after each deal, and the end of the game (RB 6, 8.2)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from rummy.errors import RulesError
from rummy.notation.rules import Rules


def chips_after(chips: Sequence[int], points: Sequence[int], winner: int) -> tuple[int, ...]:
    """Return the stacks after a deal: every loser pays their points in chips to the winner.

    `winner` is an index. A stack may become negative; the sum of all stacks never changes.

    >>> chips_after([160, 160, 160], [0, 80, 25], winner=0)
    (265, 80, 135)
    """
    if len(chips) != len(points) or not 0 <= winner < len(points):
        raise RulesError("bad_points", "points are one for each stack, and one of them wins")
    if points[winner] or min(points) < 0:
        raise RulesError("bad_points", "points are one for each stack, and the winner's are 0")
    return tuple(
        stack + sum(points) if place == winner else stack - lost
        for place, (stack, lost) in enumerate(zip(chips, points, strict=True))
    )


@dataclass(frozen=True, slots=True)
class DealsStanding:
    """The state of a game of deals: whether it is over, and the indices that play the next deal."""

    is_over: bool
    playing: tuple[int, ...]
    leaders: tuple[int, ...]


def deals_standing(
    rules: Rules, chips: Sequence[int], *, played: int, left: Collection[int] = ()
) -> DealsStanding:
    """Return the state of the game after `played` deals (RB 6, the line on deals rummy).

    `left` are the indices of players who left the table and forfeit. After the agreed deals the
    highest stack wins; tied players play extra deals among themselves, at most `max_extra_deals`.

    >>> from rummy.notation.profiles import PROFILES
    >>> rules = PROFILES["total-rummy-best-of-2"]
    >>> deals_standing(rules, [200, 200, 80], played=2).playing
    (0, 1)
    """
    if rules.deals is None:
        raise RulesError("no_deals", f"{rules.name} is not played in deals")
    staying = tuple(place for place in range(len(chips)) if place not in left)
    most = max((chips[place] for place in staying), default=0)
    leaders = tuple(place for place in staying if chips[place] == most)
    if len(staying) < 2:
        return DealsStanding(True, (), leaders)
    if played < rules.deals:
        return DealsStanding(False, staying, leaders)
    if len(leaders) == 1 or played >= rules.deals + rules.max_extra_deals:
        return DealsStanding(True, (), leaders)
    return DealsStanding(False, leaders, leaders)
