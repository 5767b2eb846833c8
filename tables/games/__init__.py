"""What differs from game to game: what follows a scored deal, and who plays the next one.

Each module offers the same few functions; the caller holds the table's lock and publishes.

`is_void(table, deal, scores)`  whether nobody survived a deal in which nobody acted (RB 7.6)
`note(table, scores)`           what the game keeps beside the points, before they are written
`go_on(table, deal, now)`       what follows the scored deal: a window, the next deal, the end
`go_on_after_void(…)`           what follows a deal that counts for nothing
`somebody_left(table, now)`     what follows when a seat is given up between two deals
`end_here(table, now)`          ends the game between two deals, with the places as they are
`start(table, now)`             the first deal, to whoever has sat down
`deal_next(table, now)`         the next deal, to whoever plays it
`call_off(table, deal, now)`    ends the game in this deal, as if it had not been dealt
"""

from __future__ import annotations

from types import ModuleType
from typing import Final

from tables.games import deals, points, pool
from tables.table.profile_models import RuleProfile
from tables.table.rules import rules_of

GAMES: Final[dict[str, ModuleType]] = {"pool": pool, "deals": deals, "points": points}


def game_of(profile: RuleProfile) -> ModuleType:
    """Return the module that knows what follows a deal by these rules."""
    return GAMES[rules_of(profile).game]
