"""The easy bot: half of its moves are random.

It never drops, keeps its jokers, and shows only valid hands.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final

from rummy.bots import closing, greedy
from rummy.notation.moves import Discard, Drop, Meld, Move, Show
from rummy.thirteen.views import View

CAREFUL: Final = 0.5
"""The share of moves made by the greedy bot."""


def choose(
    view: View,
    legal: Sequence[Move],
    rng: random.Random | None = None,
    totals: Sequence[int] = (),
) -> Move:
    """Return one of the legal moves; without `rng` the choice is seeded by the view."""
    if isinstance(legal[0], Meld):
        return closing.meld(view)
    rng = rng or random.Random(f"{view.hand} {view.open_pile} {view.stock}")  # noqa: S311
    if rng.random() < CAREFUL:
        move = greedy.choose(view, legal, rng, totals)
        if not isinstance(move, Drop):
            return move
    plays_on = [move for move in legal if not isinstance(move, Drop | Show)]
    return rng.choice([move for move in plays_on if not _throws_joker(move, view)] or plays_on)


def _throws_joker(move: Move, view: View) -> bool:
    return isinstance(move, Discard) and move.card.is_joker(view.wild_rank)
