"""The choice of a move by strength of the bot."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Final, Literal, get_args

from rummy.bots import easy, greedy, straight, strong
from rummy.notation.moves import Move
from rummy.straight.views import View as StraightView
from rummy.thirteen.views import View

Strength = Literal["random", "greedy", "strong"]
STRENGTHS: Final[tuple[Strength, ...]] = get_args(Strength)

Player = Callable[[View, Sequence[Move], random.Random | None, Sequence[int]], Move]
_PLAYERS: Final[dict[Strength, Player]] = {
    "random": easy.choose,
    "greedy": greedy.choose,
    "strong": strong.choose,
}


def choose(
    view: View | StraightView,
    legal: Sequence[Move],
    rng: random.Random | None = None,
    *,
    strength: Strength = "greedy",
    total: int = 0,
    totals: Sequence[int] = (),
) -> Move:
    """Return a move of `legal`, with groups added to a show or meld.

    The same view, totals and generator give the same move. `totals` are the scores of all positions
    in earlier deals of a pool; if only the own `total` is given, the others are assumed equal.
    Outside pools both are ignored.

    >>> from rummy.notation.profiles import PROFILES
    >>> from rummy.notation.shuffle import Stream
    >>> from rummy.thirteen import legal_moves, start, view
    >>> deal = start(PROFILES["total-rummy-pool-101"], players=2, stream=Stream(bytes(32)))
    >>> seen, legal = view(deal, 1), legal_moves(deal, 1)
    >>> all(choose(seen, legal, strength=name) in legal for name in STRENGTHS)
    True
    """
    if isinstance(view, StraightView):
        if strength == "random":
            return straight.choose_any(view, legal, rng)
        return (straight.choose_strong if strength == "strong" else straight.choose)(view, legal)
    return _PLAYERS[strength](view, legal, rng, totals or (total,) * len(view.seats))
