"""The random bot: any legal move, all alike. It shows what is valid, and never wrongly."""

from __future__ import annotations

import random
from collections.abc import Sequence

from rummy.bots import closing
from rummy.thirteen.views import View


def choose(
    view: View, legal: Sequence[str], rng: random.Random | None = None, total: int = 0
) -> str:
    """Return any of `legal`; without a generator chance comes from the view itself."""
    if "meld" in legal:
        return closing.meld(view)
    rng = rng or random.Random(f"{view.hand} {view.open_pile} {view.stock}")  # noqa: S311
    action = rng.choice(legal)
    if action != "show":
        return action
    return closing.show(view) or rng.choice([move for move in legal if move != "show"])
