"""The games that can be played, one package each; a package holds what is specific to its game."""

from __future__ import annotations

from typing import Final

from rummy import ALL_PROFILES, AnyRules
from rummy.notation.house_rules import HouseRules
from tables.games.deals.game import Deals
from tables.games.game import Game
from tables.games.points.game import Points
from tables.games.pool.game import Pool
from tables.games.straight.game import ROUNDS, TARGET
from tables.models.tables import Table
from tables.models.templates import RuleProfile
from tables.state.rules import rules_of

# In the order in which pages list them.
_ALL: Final[tuple[Game, ...]] = (Pool(), Points(), Deals(), TARGET, ROUNDS)
GAMES: Final[dict[str, Game]] = {game.name: game for game in _ALL}
PROFILES: Final[dict[str, AnyRules]] = {
    name: rules for name, rules in ALL_PROFILES.items() if rules.game in GAMES
}
"""The named rules profiles of the library."""


def game_of(played: Table | RuleProfile | AnyRules) -> Game:
    """Return the game played at a table, or by these rules."""
    if isinstance(played, Table):
        played = played.profile
    rules = played if isinstance(played, HouseRules) else rules_of(played)
    return GAMES[rules.game]
