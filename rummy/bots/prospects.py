"""A hand's chance to win its deal, and its expected cost if it loses.

Both formulas use only a seat's view and were fitted to some 10,000 hands of deals that the strong
bot played against itself without drops: the chance by logistic regression on the logarithm of the
ways (see `completions`), the turns played and the number of opponents; the loss by linear
regression on the present price of the hand. Of 6,910 hands under rules that count all cards, those
with predicted chances of 7, 15, 25, 38, 53, 67 and 78 % won in 6, 15, 26, 39, 52, 67 and 77 %.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

from rummy.bots.completions import Completions, completions
from rummy.notation.cards import Card
from rummy.solver.arrangement import best_arrangement
from rummy.thirteen.state import full_deck
from rummy.thirteen.views import SeatView, View

REACH: Final = 0.01
"""The chance to get one unseen copy of a card while it is useful."""
NO_HOPE: Final = -12.0
"""The minimum of the logarithm of ways; below it the chance does not change."""
LEAST_LOSS: Final = 2.0


class Prospects(NamedTuple):
    """A hand's chance to win its deal, and its expected cost in points if it loses."""

    win: float
    loss: float


class Situation(NamedTuple):
    """The facts common to all possible hands of a seat at one moment."""

    view: View
    unseen: Counter[Card]
    turns: float
    """The approximate number of turns per seat so far."""
    opponents: int
    """The number of other active players."""

    def completions(self, hand: Sequence[Card]) -> Completions:
        """Return the ways in which a hand of 13 or 14 may still be declared."""
        view = self.view
        return completions(hand, view.wild_rank, self.unseen, REACH, rules=view.rules)

    def prospects(self, hand: Sequence[Card], ways: float) -> Prospects:
        """Return the prospects of 13 cards with this number of ways, at the end of a turn."""
        rules, others = self.view.rules, math.log(self.opponents)
        best = best_arrangement(hand, wild=self.view.wild, rules=rules)
        is_shut, lacks_pure = best.unmet is not None, best.unmet == "no_pure_sequence"
        hope = max(math.log(ways), NO_HOPE) if ways > 0 else NO_HOPE
        turns, raw = self.turns, best.raw_points
        if rules.unmet_points == "flat":  # A hand without the required sequences costs the cap.
            logit = 0.69 - 1.07 * others + 0.23 * hope - 0.13 * turns + 0.018 * hope * turns
            logit += 0.017 * raw - 1.7 * is_shut
            loss = 10.4 + 5.3 * others + 1.3 * turns + 0.06 * raw
            loss += 35.8 * is_shut + 12.0 * lacks_pure
        else:
            logit = 0.76 - 1.07 * others + 0.33 * hope - 0.16 * turns + 0.019 * hope * turns
            loss = -3.7 + 5.3 * others + 1.9 * turns + 0.45 * raw
            loss += 7.5 * is_shut + 3.2 * lacks_pure
        return Prospects(_logistic(logit), min(max(loss, LEAST_LOSS), rules.cap))


def _logistic(logit: float) -> float:
    return 1 / (1 + math.exp(-logit))


def situation(view: View) -> Situation:
    """Return the situation of a seat, apart from its hand."""
    others = (seat for seat in view.seats if seat.position != view.position)
    playing = sum(seat.standing == "active" for seat in others)
    deck = full_deck(view.rules, len(view.seats))
    unseen = Counter(deck)
    unseen.subtract((*view.hand, *view.open_pile, view.wild))
    dealt = 13 * len(view.seats) + 2
    turns = (len(deck) - dealt - view.stock) / len(view.seats)
    return Situation(view, +unseen, max(turns, 0.0), max(playing, 1))


def own_seat(view: View) -> SeatView:
    """Return the public view of the viewer's own seat."""
    return next(seat for seat in view.seats if seat.position == view.position)
