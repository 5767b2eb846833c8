"""The rules of the thirteen-card family: every house rule a field (RB 1-8)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final, Literal

from rummy.errors import RulesError
from rummy.notation.house_rules import HouseRules

Family = Literal["thirteen"]
Game = Literal["points", "pool", "deals"]
LifeOfFour = Literal["none", "any", "other"]
OpenJoker = Literal["first_only", "never", "always"]
Unmet = Literal["all", "pure_exempt"]
UnmetPoints = Literal["sum", "flat"]

CARDS_DEALT: Final = 13
MOST_DECKS: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules(HouseRules):
    """A rules profile of the thirteen-card family; profiles differ in almost every number (RB).

    >>> PROFILE = Rules(name="kitchen", limit=101, game="pool")
    >>> PROFILE.first_drop, PROFILE.cap, PROFILE.with_(cap=60).cap
    (20, 80, 60)
    >>> Rules.from_text(PROFILE.to_text()) == PROFILE
    True
    """

    family: Family = "thirteen"
    game: Game = "points"

    # The cards (RB 1.2).
    decks: int = 2
    """Decks for a table below `three_decks_from` players."""
    three_decks_from: int | None = None
    """The number of players from which a third deck is added; None for never."""
    printed_jokers_per_deck: int = 1

    # Groups and the declaration (RB 2, 3).
    max_jokers_per_sequence: int | None = None
    max_jokers_per_set: int | None = None
    max_set_size: int | None = None
    min_naturals: int = 1
    identical_triples: bool = False
    life_of_four: LifeOfFour = "none"
    loose_jokers: bool = False

    # The price of a hand (RB 4, 5.4).
    first_drop: int = 20
    middle_drop: int = 40
    cap: int = 80
    unmet: Unmet = "all"
    unmet_points: UnmetPoints = "sum"
    least_loss: int = 0
    """The least points of a loser."""
    half_without_turn: bool = False
    """Whether a loser without a turn before the show pays half, rounded down."""
    absent_pays_lower: bool = False
    """Whether a player who misses turns pays the middle drop or the hand, whichever is lower."""

    # The deal (RB 5).
    drops_allowed: bool = True
    open_joker: OpenJoker = "first_only"
    max_reshuffles: int = 1
    misses_allowed: int = 3
    misses_allowed_for_two: int | None = None
    """Allowed misses in a deal of two players; None for the same number as in other deals."""

    # The game around the deals (RB 6, 7).
    limit: int | None = None
    """The total that eliminates; None outside pools."""
    rejoin: bool = False
    max_rejoins: int | None = None
    rejoin_at_most: int | None = None
    """The highest total of a survivor at which others may rejoin, if lower than in RB 7.3."""
    split: bool = False
    auto_split: bool = False
    auto_split_from: int | None = None
    """The least total of all survivors for an automatic split; None: no drop left (RB 7.4)."""
    deals: int | None = None
    chips: int | None = None
    max_extra_deals: int = 3

    # The clock, whole seconds (RB 5.8, 5.10, 7.3, 7.4).
    turn_seconds: int = 30
    extra_seconds: int = 30
    meld_seconds: int = 30
    gap_seconds: int = 10
    gap_ready: bool = True
    """Whether the pause between deals ends as soon as all players are ready."""
    toss_seconds: int = 5
    start_seconds: int = 10
    rejoin_seconds: int = 20
    split_seconds: int = 20

    AT_LEAST: ClassVar[Mapping[str, int]] = {
        **HouseRules.AT_LEAST,
        "decks": 1,
        "three_decks_from": 2,
        "printed_jokers_per_deck": 0,
        "max_jokers_per_sequence": 0,
        "max_jokers_per_set": 0,
        "max_set_size": 3,
        "min_naturals": 1,
        "cap": 1,
        "max_reshuffles": 0,
        "misses_allowed_for_two": 1,
        "least_loss": 0,
        "limit": 1,
        "max_rejoins": 1,
        "rejoin_at_most": 0,
        "auto_split_from": 1,
        "deals": 1,
        "chips": 1,
        "max_extra_deals": 0,
        "meld_seconds": 1,
        "rejoin_seconds": 1,
        "split_seconds": 1,
    }

    __hash__ = HouseRules.__hash__

    def decks_for(self, players: int) -> int:
        """Return the number of decks for a table of `players` (RB 1.2).

        >>> Rules(name="v", three_decks_from=5, players_max=5).decks_for(5)
        3
        """
        if self.three_decks_from is not None and players >= self.three_decks_from:
            return MOST_DECKS
        return self.decks

    def misses_allowed_for(self, players: int) -> int:
        """Return the missed turns in a row after which a seat is out of a deal (RB 5.8).

        >>> rules = Rules(name="kitchen", misses_allowed_for_two=5)
        >>> rules.misses_allowed_for(2), rules.misses_allowed_for(3)
        (5, 3)
        """
        if players == 2 and self.misses_allowed_for_two is not None:
            return self.misses_allowed_for_two
        return self.misses_allowed

    @property
    def drop_when_absent(self) -> int:
        """The points for too many misses: the middle drop, or the cap without drops (RB 5.8)."""
        return self.middle_drop if self.drops_allowed else self.cap

    @property
    def variant(self) -> str:
        """The game's name with its limit or number of deals.

        >>> from rummy import PROFILES
        >>> PROFILES["total-rummy-pool-101"].variant, PROFILES["total-rummy-best-of-2"].variant
        ('Pool 101', 'Deals 2')
        """
        number = self.limit or self.deals or ""
        return f"{self.game.capitalize()} {number}".strip()

    @property
    def decks_max(self) -> int:
        """The number of decks of the largest table."""
        return self.decks_for(self.players_max)

    def _check(self) -> None:
        """Raise `RulesError` for contradictory rules; the pool inequality is RB 6, last line."""
        if self.decks > MOST_DECKS or self.printed_jokers_per_deck > 4:
            raise RulesError("bad_decks", "at most three decks with four printed jokers each")
        # Besides the hands: an up-card, a wild card and one card to draw.
        dealt = CARDS_DEALT * self.players_max + 3
        if dealt > self.decks_max * (52 + self.printed_jokers_per_deck):
            raise RulesError("bad_decks", f"{self.players_max} players need more decks")
        if self.min_naturals > 3:
            raise RulesError("bad_value", "the rule 'min_naturals' is at most 3, as a group may be")
        if not 0 < self.first_drop <= self.middle_drop <= self.cap:
            raise RulesError("bad_drops", "0 < first_drop <= middle_drop <= cap does not hold")
        if self.least_loss > self.first_drop:
            raise RulesError("bad_drops", "least_loss <= first_drop does not hold")
        if self.unmet == "pure_exempt" and self.unmet_points == "flat":
            sentence = "a flat price leaves nothing exempt: unmet is all, or unmet_points is sum"
            raise RulesError("bad_unmet", sentence)
        _check_game(self)


def _check_game(rules: Rules) -> None:
    if (rules.game == "pool") != (rules.limit is not None):
        raise RulesError("bad_limit", "a pool has a limit, and nothing else has")
    if {rules.game == "deals"} != {rules.deals is not None, rules.chips is not None}:
        raise RulesError("bad_deals", "deals rummy has deals and chips, and nothing else has")
    if rules.limit is None:
        if rules.rejoin or rules.split or rules.auto_split:
            raise RulesError("bad_limit", "rejoin and split belong to pools")
        if rules.rejoin_at_most is not None or rules.auto_split_from is not None:
            raise RulesError("bad_limit", "rejoin_at_most and auto_split_from belong to pools")
        if rules.max_rejoins is not None:
            raise RulesError("bad_limit", "max_rejoins belongs to pools")
    elif not rules.cap < rules.limit or rules.limit - rules.first_drop - 2 < 0:
        raise RulesError("bad_limit", "cap < limit and limit - first_drop >= 2 do not hold")
    elif (rules.auto_split_from or 0) >= rules.limit:
        raise RulesError("bad_limit", "auto_split_from < limit does not hold")
    else:
        _check_questions(rules)


def _check_questions(rules: Rules) -> None:
    """Raise `RulesError` for limits of rejoins and splits without these (RB 7.3, 7.4)."""
    if not rules.rejoin and (rules.max_rejoins, rules.rejoin_at_most) != (None, None):
        raise RulesError("bad_rejoin", "max_rejoins and rejoin_at_most need rejoin")
    if not rules.auto_split and rules.auto_split_from is not None:
        raise RulesError("bad_split", "auto_split_from needs auto_split")
    if not rules.drops_allowed and (rules.split or rules.auto_split):
        raise RulesError("bad_split", "a split pays the drops left: it needs drops_allowed")
