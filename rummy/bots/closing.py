"""Shows and melds of all bots, with groups from the exact solver."""

from __future__ import annotations

from rummy.notation.cards import by_cost
from rummy.notation.moves import Meld, Show
from rummy.solver.arrangement import best_arrangement, declarable
from rummy.thirteen.views import View


def show(view: View) -> Show | None:
    """Return the valid show with the most expensive finish card, or None."""
    ways = declarable(view.hand, wild=view.wild, rules=view.rules)
    if not ways:
        return None
    card, best = min(ways, key=lambda way: by_cost(way[0]))
    return Show(_own(view), tuple(group.cards for group in best.groups), finish=card)


def meld(view: View) -> Meld:
    """Return the answer in the meld window: the cheapest grouping (RB 4.1)."""
    best = best_arrangement(view.hand, wild=view.wild, rules=view.rules)
    return Meld(_own(view), tuple(group.cards for group in best.groups), best.deadwood)


def _own(view: View) -> int:
    assert view.position is not None, "a spectator makes no moves"
    return view.position
