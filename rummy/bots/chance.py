"""The random bot: any legal move, all alike. It shows what is valid, and never wrongly."""

from __future__ import annotations

import random
from collections.abc import Sequence

from rummy.bots import closing
from rummy.notation.moves import Meld, Move, Show
from rummy.thirteen.views import View


def choose(
    view: View, legal: Sequence[Move], rng: random.Random | None = None, total: int = 0
) -> Move:
    """Return any of `legal`; without a generator chance comes from the view itself."""
    if isinstance(legal[0], Meld):
        return closing.meld(view)
    rng = rng or random.Random(f"{view.hand} {view.open_pile} {view.stock}")  # noqa: S311
    move = rng.choice(legal)
    if not isinstance(move, Show):
        return move
    return closing.show(view) or rng.choice([each for each in legal if not isinstance(each, Show)])
