"""What the clock has played for a player who was away (RB 5.8)."""

from __future__ import annotations

from typing import Any

import rummy
from tables.table.deal_models import Move
from tables.table.seat_models import Seat
from tables.view.context import ViewContext


def away(context: ViewContext, mine: Seat, here: rummy.AnySeatView) -> dict[str, Any]:
    """Return the clock's moves since the player's own last one: a query, and only after a miss."""
    if not here.misses:
        return {"clock_played": None, "misses_left": None}
    moves = Move.objects.filter(deal=context.deal, seat=mine.pk, version__lte=context.version)
    latest = moves.order_by("-ply").values_list("text", "origin")[: here.misses]
    played = [text.split(maxsplit=1)[1] for text, origin in latest if origin == Move.Origin.CLOCK]
    return {
        "clock_played": played[::-1],
        "misses_left": max(0, context.rules.misses_allowed - here.misses),
    }
