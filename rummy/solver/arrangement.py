"""The best arrangement of a hand, which costs the least possible points (RB 4)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from operator import attrgetter
from typing import Final

from rummy.errors import ImpossibleHand
from rummy.notation.cards import Card, Rank, format_cards, wild_rank
from rummy.notation.rules import Rules
from rummy.solver.covering import cover
from rummy.solver.declaration import refuse_impossible
from rummy.solver.groups import Group
from rummy.solver.laying import lay
from rummy.solver.search import ALL_ROWS, PRINTED_AT, Solution, solve, summed

LARGEST_HAND: Final = 14
DEAREST: Final = Rank.KING.points
"""The points of the dearest cards."""
BY_INDEX: Final = attrgetter("index")


@dataclass(frozen=True, slots=True)
class Arrangement:
    """An arrangement of a hand in groups, and its cost.

    `unmet` is the requirement of RB 3.1 that no arrangement of the hand meets, or None.
    `points` are limited by the cap, `raw_points` are not.
    """

    groups: tuple[Group, ...]
    deadwood: tuple[Card, ...]
    points: int
    raw_points: int
    unmet: str | None

    def to_text(self) -> str:
        """Return the groups, then a slash and the cards left over: `5H 6H 7H | KD KS KC / 9C QD`.

        >>> from rummy import PROFILES, parse_cards
        >>> hand = parse_cards("5H 6H 7H 9C TC JC KD")
        >>> best_arrangement(hand, wild=Rank.TWO, rules=PROFILES["total-rummy-points"]).to_text()
        '9C TC JC | 5H 6H 7H / KD'
        """
        groups = " | ".join(map(str, self.groups))
        if not self.deadwood:
            return groups
        return f"{groups} / {format_cards(self.deadwood)}".lstrip()

    def declares(self, rules: Rules) -> bool:
        """Return whether these groups are a valid declaration (RB 3.1, 2.4).

        >>> from rummy import PROFILES, parse_cards
        >>> rules = PROFILES["total-rummy-points"]
        >>> for hand in ("5H 6H 7H 9C TC JC PJ", "5H 6H 7H 9C TC JC KD"):
        ...     best_arrangement(parse_cards(hand), wild=Rank.TWO, rules=rules).declares(rules)
        True
        False
        """
        if self.unmet is not None or self.raw_points:
            return False
        return not self.deadwood or rules.loose_jokers


def best_arrangement(hand: Iterable[Card], *, wild: Rank | Card | str, rules: Rules) -> Arrangement:
    """Return the arrangement with the lowest cost; always the same one of several.

    The order of the cards in `hand` makes no difference.

    >>> from rummy.notation.cards import parse_cards
    >>> from rummy.notation.profiles import PROFILES
    >>> hand = parse_cards("2S 3S 4S 5D 6D 7D 9C 9S 2H 4C 4H 4D AD")
    >>> best = best_arrangement(hand, wild=Rank.TWO, rules=PROFILES["total-rummy-pool-101"])
    >>> best.points, best.unmet, best.to_text()
    (10, None, '5D 6D 7D | 2S 3S 4S | 4C 4D 4H | 9C 9S 2H / AD')
    """
    cards = tuple(hand)
    rank = wild_rank(wild)
    hand_sum, solution = _solved(cards, rank, rules)
    points, raw, unmet = _capped(solution, rules), solution.points, solution.unmet
    laid = solution.groups()
    if not laid:
        return Arrangement((), tuple(sorted(cards, key=BY_INDEX)), points, raw, unmet)
    groups, deadwood = lay(hand_sum & ALL_ROWS, hand_sum >> PRINTED_AT, laid, rank, rules)
    if deadwood and not raw and unmet is None and not rules.loose_jokers:
        whole = cover(cards, rank, rules)
        groups, deadwood = (whole, ()) if whole is not None else (groups, deadwood)
    return Arrangement(groups, deadwood, points, raw, unmet)


def hand_points(hand: Iterable[Card], *, wild: Rank | Card | str, rules: Rules) -> int:
    """Return the points of the best arrangement, about twice as fast as with its groups (RB 4).

    >>> from rummy.notation.cards import parse_cards
    >>> from rummy.notation.profiles import PROFILES
    >>> hand = parse_cards("2S 3S 4S 5D 6D 7D 9C 9S 2H 4C 4H 4D AD")
    >>> hand_points(hand, wild=Rank.TWO, rules=PROFILES["total-rummy-pool-101"])
    10
    """
    return hand_price(hand, wild=wild, rules=rules)[0]


def hand_price(
    hand: Iterable[Card], *, wild: Rank | Card | str, rules: Rules
) -> tuple[int, str | None]:
    """Return the points of the best arrangement and the unmet requirement, without its groups.

    >>> from rummy.notation.cards import parse_cards
    >>> from rummy.notation.profiles import PROFILES
    >>> hand = parse_cards("5H 6H 7H KD KS 2C")
    >>> hand_price(hand, wild="9", rules=PROFILES["total-rummy-pool-101"])
    (40, 'one_sequence_only')
    """
    _, solution = _solved(tuple(hand), wild_rank(wild), rules)
    return _capped(solution, rules), solution.unmet


def _solved(cards: tuple[Card, ...], wild: Rank, rules: Rules) -> tuple[int, Solution]:
    """Return the sum of a hand's weights and its solution, or raise `ImpossibleHand`."""
    if not 0 < len(cards) <= LARGEST_HAND:
        raise ImpossibleHand("impossible_hand", f"a hand has 1 to 14 cards, not {len(cards)}")
    hand_sum = summed(cards, wild)
    if len(cards) - len(set(cards)) >= rules.decks or not rules.printed_jokers_per_deck:
        refuse_impossible(cards, rules)  # A hand with few equal cards is always possible.
    return hand_sum, solve(hand_sum, wild, rules)


def _capped(solution: Solution, rules: Rules) -> int:
    is_flat = rules.unmet_points == "flat" and solution.walk is None and not solution.runs
    return rules.cap if is_flat else min(solution.points, rules.cap)


def declarable(
    hand: Iterable[Card], *, wild: Rank | Card | str, rules: Rules
) -> tuple[tuple[Card, Arrangement], ...]:
    """Return every finish card of a 14-card hand that declares, with the groups to show (RB 3.1).

    >>> from rummy.notation.cards import parse_cards
    >>> from rummy.notation.profiles import PROFILES
    >>> hand = parse_cards("2H 3H 4H 5H 5C 6C 7C 8C 5D 5S PJ QH QS 9D")
    >>> ways = declarable(hand, wild=Rank.QUEEN, rules=PROFILES["total-rummy-points"])
    >>> format_cards(card for card, _ in ways)
    '5C 6C 7C 8C 5D 9D 2H 3H 4H 5H QH 5S QS PJ'
    """
    cards = tuple(sorted(hand, key=BY_INDEX))
    if len(cards) != LARGEST_HAND:
        raise ImpossibleHand("wrong_number_of_cards", f"a show has 14 cards, not {len(cards)}")
    rank = wild_rank(wild)
    if _solved(cards, rank, rules)[1].points > DEAREST:
        return ()  # A single discard cannot remove all the deadwood.
    ways = []
    for card in dict.fromkeys(cards):
        left = list(cards)
        left.remove(card)
        best = best_arrangement(left, wild=rank, rules=rules)
        if best.declares(rules):
            ways.append((card, best))
    return tuple(ways)
