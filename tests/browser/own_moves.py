"""For a running site: what the server stored of a player's last game."""

from __future__ import annotations

import json


def main(handle: str) -> str:
    """Return JSON: the player's moves counted by verb and by origin, and the game's phase."""
    from collections import Counter

    from tables.models.deals import Move
    from tables.models.seats import Seat

    seat = Seat.objects.filter(player__handle=handle).select_related("table").latest("pk")
    rows = Move.objects.filter(table=seat.table, seat=seat).values_list("text", "origin")
    return json.dumps(
        {
            "verbs": Counter(text.split()[1] for text, _ in rows),
            "origins": Counter(origin for _, origin in rows),
            "phase": seat.table.phase,
        }
    )
