"""The best arrangement of a hand: exactly the least points it can cost (RB 4)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rummy.cards import Card, Rank, format_cards, wild_rank
from rummy.declaration import refuse_impossible
from rummy.errors import ImpossibleHand
from rummy.groups import Group
from rummy.laying import lay
from rummy.rules import Rules
from rummy.solver import solve


@dataclass(frozen=True, slots=True)
class Arrangement:
    """One way to lay a hand, and what it costs.

    `unmet` names the gate of RB 3.1 that no arrangement of the hand passes, or is None.
    `points` is under the cap, `raw_points` before it.
    """

    groups: tuple[Group, ...]
    deadwood: tuple[Card, ...]
    points: int
    raw_points: int
    unmet: str | None

    def to_text(self) -> str:
        """Print groups, then the cards left over behind a slash: `5H 6H 7H | KD KS KC / 9C QD`."""
        groups = " | ".join(map(str, self.groups))
        if not self.deadwood:
            return groups
        return f"{groups} / {format_cards(self.deadwood)}".lstrip()


def best_arrangement(hand: Iterable[Card], *, wild: Rank | Card, rules: Rules) -> Arrangement:
    """Return the arrangement that costs the least; of equals always the same one.

    The order of the cards in `hand` makes no difference.

    >>> from rummy.cards import parse_cards
    >>> from rummy.profiles import PROFILES
    >>> hand = parse_cards("2S 3S 4S 5D 6D 7D 9C 9S 2H 4C 4H 4D AD")
    >>> best = best_arrangement(hand, wild=Rank.TWO, rules=PROFILES["total-rummy-pool-101"])
    >>> best.points, best.unmet
    (10, None)
    """
    cards = tuple(hand)
    if not cards or len(cards) > 14:
        raise ImpossibleHand("impossible_hand", f"a hand has 1 to 14 cards, not {len(cards)}")
    if len(cards) - len(set(cards)) >= rules.decks or not rules.printed_jokers_per_deck:
        refuse_impossible(cards, rules)  # Too few twins to be impossible otherwise.
    rank = wild_rank(wild)
    raw, laid, unmet = solve(cards, rank, rules)
    groups, deadwood = lay(cards, laid, rank, rules)
    flat = unmet is not None and rules.unmet_points == "flat"
    points = rules.cap if flat else min(raw, rules.cap)
    return Arrangement(groups, deadwood, points, raw, unmet)
