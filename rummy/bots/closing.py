"""How every bot ends a deal: with the exact solver's groups."""

from __future__ import annotations

from rummy.notation.cards import by_cost
from rummy.solver.arrangement import best_arrangement, declarable
from rummy.solver.declaration import format_groups
from rummy.thirteen.views import View


def show(view: View) -> str | None:
    """Return the valid show that throws the dearest card, or None."""
    ways = declarable(view.hand, wild=view.wild, rules=view.rules)
    if not ways:
        return None
    card, best = min(ways, key=lambda way: by_cost(way[0]))
    return f"show {format_groups(group.cards for group in best.groups)} x {card}"


def meld(view: View) -> str:
    """Return the answer in the meld window: the cheapest grouping (RB 4.1)."""
    best = best_arrangement(view.hand, wild=view.wild, rules=view.rules)
    return f"meld {best.to_text()}".strip()
