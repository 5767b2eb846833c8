"""The formula of ratings: Plackett-Luce of openskill, for games of any number of players.

Mean and uncertainty are stored in whole millionths, so that a recomputation on another machine
gives the same numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from openskill.models import PlackettLuce

MILLION: Final = 1_000_000
# Games after which a rating is no longer provisional.
PROVISIONAL_GAMES: Final = 20
# Pages show a mean of 25 as 1,500, and one unit of the model as 40 points.
POINTS_A_UNIT: Final = 40
POINTS_AT_ZERO: Final = 500

# Ties: other models of the library depend on the order of tied players, or become certain by one
# game (findings/openskill_tied_players_by_position.sh, findings/openskill_ties_end_learning.sh).
_MODEL: Final = PlackettLuce()


class Skill(NamedTuple):
    """The mean and standard deviation of a player's strength, in millionths of the model's unit."""

    mu: int
    sigma: int


NEWCOMER: Final = Skill(round(_MODEL.mu * MILLION), round(_MODEL.sigma * MILLION))


def skills_after(before: Sequence[Skill], places: Sequence[int]) -> list[Skill]:
    """Return the players' skills after a game; equal places are ties, and 1 is the best.

    The order of the players decides the order of floating-point sums: callers pass them in the
    order of their keys.

    >>> skills_after([NEWCOMER, NEWCOMER], [1, 2])
    [Skill(mu=27635389, sigma=8065901), Skill(mu=22364611, sigma=8065901)]
    >>> skills_after([NEWCOMER], [1]) == [NEWCOMER]
    True
    """
    if len(before) < 2:
        return list(before)
    teams = [[_MODEL.rating(mu / MILLION, sigma / MILLION)] for mu, sigma in before]
    return [
        Skill(round(team[0].mu * MILLION), round(team[0].sigma * MILLION))
        for team in _MODEL.rate(teams, ranks=[float(place) for place in places])
    ]


def shown_rating(mu: int) -> int:
    """Return the rating that pages show.

    >>> shown_rating(NEWCOMER.mu)
    1500
    """
    return POINTS_AT_ZERO + round(mu * POINTS_A_UNIT / MILLION)


def shown_margin(sigma: int) -> int:
    """Return two standard deviations as pages show them: a range that is right 19 times in 20.

    >>> shown_margin(NEWCOMER.sigma)
    667
    """
    return round(2 * sigma * POINTS_A_UNIT / MILLION)
