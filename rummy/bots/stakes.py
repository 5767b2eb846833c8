"""The value of winning, losing or dropping a deal for a seat, in points or in a share of a pool.

In points rummy it is the points won or lost. In a pool (RB 7) it is the change of the chance to
survive all others, estimated as the seat's strength divided by the sum of all strengths. Strength
falls with the square of the total and is 0 at the limit; other exponents did not describe
randomly simulated pools better.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

from rummy.bots.prospects import Prospects, Situation, own_seat
from rummy.notation.rules import Rules

TYPICAL: Final = (0.35, 1.0, 1.65)
"""Two typical losses as multiples of the average."""
GAIN: Final = 42.0
GAIN_WHERE_FLAT: Final = 57.0
GAIN_FALLS: Final = 1.5
"""The average loss of an active opponent at the start (more if hands without required sequences
cost the cap), and its decrease per turn."""
LEAST_GAIN: Final = 15.0


class Stakes(Protocol):
    """The values of a deal's possible endings for a seat, in any unit."""

    def won(self) -> float:
        """Return the value of winning."""

    def lost(self, points: float) -> float:
        """Return the value of losing with these points."""


def played_on(stakes: Stakes, prospects: Prospects, cap: int) -> float:
    """Return the expected value of playing on."""
    losses = [stakes.lost(min(prospects.loss * share, cap)) for share in TYPICAL]
    lost = sum(losses) / len(losses)
    return prospects.win * stakes.won() + (1 - prospects.win) * lost


def stakes_of(now: Situation, totals: Sequence[int]) -> Stakes:
    """Return the stakes of a deal; `totals` are those of all positions, empty outside pools."""
    if now.view.rules.limit is None or len(totals) != len(now.view.seats):
        return PointStakes(now)
    return PoolStakes(now, totals)


def losses_of_others(now: Situation) -> list[tuple[int, float, bool]]:
    """Return the other seats: position, average loss, and whether it is active."""
    rules = now.view.rules
    prices = {"first_drop": rules.first_drop, "middle_drop": rules.middle_drop}
    gain = GAIN_WHERE_FLAT if rules.unmet_points == "flat" else GAIN
    playing = max(gain - GAIN_FALLS * now.turns, LEAST_GAIN) * rules.cap / 80
    own = own_seat(now.view).position
    return [
        (seat.position, playing, True)
        if seat.standing == "active"
        else (seat.position, float(prices.get(seat.standing, rules.cap)), False)
        for seat in now.view.seats
        if seat.position != own
    ]


class PointStakes:
    """Stakes of points rummy: a winner gets the points of all others."""

    def __init__(self, now: Situation) -> None:
        self.gain = sum(loss for _, loss, _ in losses_of_others(now))

    def won(self) -> float:
        return self.gain

    def lost(self, points: float) -> float:
        return -points


class PoolStakes:
    """Stakes of a pool: the expected share of the prize by the totals after the deal."""

    def __init__(self, now: Situation, totals: Sequence[int]) -> None:
        self.rules, self.total = now.view.rules, totals[own_seat(now.view).position - 1]
        others = losses_of_others(now)
        self.beaten = 0.0
        """The strength of the others if this seat wins."""
        self.unbeaten = 0.0
        """The strength of the others if one of them wins."""
        for position, loss, plays in others:
            after = self._after(totals[position - 1], loss, plays)
            wins = 1 / now.opponents if plays else 0.0
            self.beaten += after
            self.unbeaten += wins * strength(totals[position - 1], self.rules) + (1 - wins) * after

    def won(self) -> float:
        own = strength(self.total, self.rules)
        return own / (own + self.beaten)

    def lost(self, points: float) -> float:
        own = strength(self.total + points, self.rules)
        return own / (own + self.unbeaten) if own else 0.0

    def _after(self, total: int, loss: float, plays: bool) -> float:
        """Return another seat's average strength after the deal."""
        shares = TYPICAL if plays else (1.0,)
        losses = [min(loss * share, self.rules.cap) for share in shares]
        return sum(strength(total + lost, self.rules) for lost in losses) / len(losses)


def strength(total: float, rules: Rules) -> float:
    """Return the strength of a total: 0 at the limit, higher for lower totals."""
    assert rules.limit is not None, "only pools have totals"
    return (1.5 * rules.limit - total) ** 2 if total < rules.limit else 0.0


def shares(totals: Sequence[float], rules: Rules) -> list[float]:
    """Return the chance of each total to win the pool; they sum to 1."""
    strengths = [strength(total, rules) for total in totals]
    return [each / sum(strengths) for each in strengths]
