"""The rules of straight rummy: every house rule a field (RB 9)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar, Final, Literal

from rummy.errors import RulesError
from rummy.notation.cards import CARDS_INCARDS, Card, Rank
from rummy.notation.house_rules import HouseRules

Family = Literal["straight"]
Game = Literal["target", "rounds"]
Refill = Literal["shuffle", "turn_over"]
Aces = Literal["low", "high", "both"]
Scoring = Literal["winner", "penalty"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StraightRules(HouseRules):
    """A rules profile of straight rummy.

    >>> kitchen = StraightRules(name="kitchen", may_discard_taken=False)
    >>> kitchen.cards_for(2), kitchen.cards_for(4), kitchen.target
    (10, 7, 100)
    >>> StraightRules.from_text(kitchen.to_text()) == kitchen
    True
    """

    family: Family = "straight"
    game: Game = "target"

    # The deal (RB 9.1).
    cards_for_two: int = 10
    cards_for_four: int = 7
    """The number of cards of each of three or four players."""
    cards_for_six: int = 6
    """The number of cards of each of five or six players."""

    # Melds (RB 9.4).
    aces: Aces = "low"
    round_the_corner: bool = False
    """Whether K-A-2 is a run; only if aces are both high and low."""
    max_melds_per_turn: int | None = None
    lay_off_before_meld: bool = True
    """Whether a player without a meld may lay off."""

    # The end of a turn and of the stock (RB 9.2).
    may_discard_taken: bool = True
    """Whether the card just taken from the open pile may be discarded in the same turn."""
    must_discard_last: bool = False
    """Whether the last card must be discarded, not melded or laid off."""
    refill: Refill = "shuffle"
    max_refills: int = 3
    """How often the open pile becomes the stock; 0 if the deal ends with the stock."""
    max_turns: int = 300
    """The number of turns of all players after which the deal ends as with the stock."""

    # Scores (RB 9.3-9.5).
    ace_points: int = 1
    """The points of an ace left in a hand; more than 1, usually 15, if aces may be high."""
    rummy_bonus: int | None = None
    """The bonus for going rummy; None if it counts double instead."""
    scoring: Scoring = "winner"
    """With `penalty` players score their own hands, and the lowest total wins."""
    target: int | None = 100
    rounds: int | None = None

    # The clock, whole seconds.
    misses_allowed: int = 3
    turn_seconds: int = 30
    extra_seconds: int = 30
    gap_seconds: int = 10
    gap_ready: bool = True
    """Whether the pause between deals ends as soon as all players are ready."""
    toss_seconds: int = 5
    start_seconds: int = 10

    AT_LEAST: ClassVar[Mapping[str, int]] = {
        **HouseRules.AT_LEAST,
        "cards_for_two": 3,
        "cards_for_four": 3,
        "cards_for_six": 3,
        "max_melds_per_turn": 1,
        "max_refills": 0,
        "max_turns": 1,
        "ace_points": 1,
        "rummy_bonus": 0,
        "target": 1,
        "rounds": 1,
    }

    __hash__ = HouseRules.__hash__

    @property
    def variant(self) -> str:
        """The game's name with its target or number of rounds.

        >>> StraightRules(name="kitchen", target=150).variant
        'Straight 150'
        >>> StraightRules(name="kitchen", game="rounds", target=None, rounds=3).variant
        'Straight 3 rounds'
        """
        return f"Straight {self.target or f'{self.rounds} rounds'}"

    def misses_allowed_for(self, players: int) -> int:
        """Return the missed turns in a row after which a seat is out, for any number of players.

        >>> StraightRules(name="kitchen").misses_allowed_for(2)
        3
        """
        return self.misses_allowed

    def cards_for(self, players: int) -> int:
        """Return the number of cards dealt to each player (RB 9.1).

        >>> [StraightRules(name="kitchen").cards_for(players) for players in (2, 3, 4, 5, 6)]
        [10, 7, 7, 6, 6]
        """
        if players == 2:
            return self.cards_for_two
        return self.cards_for_four if players <= 4 else self.cards_for_six

    def points_of(self, card: Card) -> int:
        """Return the points of a card left in a hand.

        >>> from rummy import parse_cards
        >>> rules = StraightRules(name="kitchen", ace_points=15)
        >>> [rules.points_of(card) for card in parse_cards("AH 2S TD QC")]
        [15, 2, 10, 10]
        """
        assert card.rank is not None, "straight rummy is played without jokers"
        return self.ace_points if card.rank is Rank.ACE else min(int(card.rank), 10)

    def _check(self) -> None:
        """Raise `RulesError` for contradictory rules."""
        if self.round_the_corner and self.aces != "both":
            raise RulesError("bad_aces", "runs go round the corner where aces are high and low")
        if self.aces != "low" and self.ace_points == 1:
            sentence = "aces that may be high count more than 1: set ace_points, 15 by the rulebook"
            raise RulesError("bad_ace_points", sentence)
        if (self.game == "target") != (self.target is not None):
            raise RulesError("bad_target", "a game to a target has one, and no other has")
        if (self.game == "rounds") != (self.rounds is not None):
            raise RulesError("bad_rounds", "a game of rounds has a number of them, and no other")
        for players in range(self.players_min, self.players_max + 1):
            # Besides the hands: an up-card and one card to draw.
            if players * self.cards_for(players) + 2 > CARDS_INCARDS:
                raise RulesError("bad_cards", f"52 cards are too few for {players} such hands")


STRAIGHT: Final = StraightRules(name="straight")
_VIP: Final = StraightRules(
    name="vip-straight",
    players_max=4,
    may_discard_taken=False,
    must_discard_last=True,
    refill="turn_over",
    max_refills=1,
    target=150,
)
PROFILES: Final[Mapping[str, StraightRules]] = MappingProxyType(
    {
        rules.name: rules
        for rules in (
            _VIP,
            _VIP.with_(name="vip-high-ace-straight", aces="high", ace_points=15),
            STRAIGHT,
        )
    }
)

HOUSE_RULES: Final[Mapping[str, Mapping[str, Any]]] = MappingProxyType(
    {
        "one meld a turn": {"max_melds_per_turn": 1},
        "no laying off before a meld": {"lay_off_before_meld": False},
        "no discard of the taken card": {"may_discard_taken": False},
        "the stock ends the deal": {"max_refills": 0},
        "bonus instead of double": {"rummy_bonus": 10},
        "aces high and low": {"aces": "both", "ace_points": 15},
        "round the corner": {"aces": "both", "ace_points": 15, "round_the_corner": True},
        "the last card is discarded": {"must_discard_last": True},
        "penalty scoring": {"scoring": "penalty"},
    }
)
"""The house rules of RB 9.4, each with the fields it changes."""


def winner(rules: StraightRules, totals: Sequence[int], *, deals: int) -> int | None:
    """Return the index of the winner after this number of deals, or None while the game continues.

    A game ends when a total reaches the target or the agreed deals are played. The highest total
    wins, with penalty scoring the lowest; tied leaders play on.

    >>> winner(STRAIGHT, [99, 40], deals=5), winner(STRAIGHT, [40, 130], deals=6)
    (None, 1)
    >>> rounds = STRAIGHT.with_(game="rounds", target=None, rounds=3, scoring="penalty")
    >>> winner(rounds, [20, 35, 20], deals=3), winner(rounds, [20, 35, 31], deals=4)
    (None, 0)
    """
    best = min(totals) if rules.scoring == "penalty" else max(totals)
    is_clear = is_over(rules, totals, deals=deals) and totals.count(best) == 1
    return totals.index(best) if is_clear else None


def is_over(rules: StraightRules, totals: Sequence[int], *, deals: int) -> bool:
    """Return whether a total reaches the target, or the agreed deals are played.

    >>> is_over(STRAIGHT, [99, 40], deals=5), is_over(STRAIGHT, [130, 130], deals=6)
    (False, True)
    """
    if rules.target is not None:
        return max(totals) >= rules.target
    assert rules.rounds is not None, "a game has a target or a number of rounds"
    return deals >= rules.rounds
