"""Which move a practice opponent of a given strength makes."""

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
    """Return the move to make, one of `legal` with its groups added where it wants them.

    The same view, totals and generator give the same move. `totals` are what everybody has scored
    in earlier deals of a pool, by position; where only one's own `total` is known, the others are
    taken to have as much. Outside pools neither is looked at.

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
