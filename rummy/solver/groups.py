"""Classification of a group of cards: pure sequence, sequence, set, or invalid (RB 2, 3.3).

This module applies the definitions of the rulebook to a given group without any search. The solver
in `arrangement` builds groups in another way; tests compare the two.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from rummy.notation.cards import Card, Rank, format_cards, wild_rank
from rummy.notation.rules import Rules

LONGEST_SEQUENCE: Final = 13
SHORTEST_GROUP: Final = 3


class Kind(StrEnum):
    """The kind of a valid group."""

    PURE_SEQUENCE = "pure_sequence"
    SEQUENCE = "sequence"
    SET = "set"
    JOKERS = "jokers"
    """Jokers outside all groups of a declaration, if `loose_jokers` allows them (RB 2.4)."""

    @property
    def is_sequence(self) -> bool:
        """Whether the group counts as one of the two sequences (RB 3.1)."""
        return self in {Kind.PURE_SEQUENCE, Kind.SEQUENCE}


@dataclass(frozen=True, slots=True)
class Group:
    """The cards of a valid group, with jokers at the places of the cards they replace."""

    kind: Kind
    cards: tuple[Card, ...]

    def __str__(self) -> str:
        return format_cards(self.cards)


@dataclass(frozen=True, slots=True)
class GroupVerdict:
    """The kind of a submitted group, or the codes of RB 3.3 why it is invalid."""

    cards: tuple[Card, ...]
    kind: Kind | None
    reasons: tuple[str, ...] = ()

    @property
    def is_valid(self) -> bool:
        """Whether the group is valid.

        >>> GroupVerdict((), Kind.SET).is_valid, GroupVerdict((), None, ("too_short",)).is_valid
        (True, False)
        """
        return self.kind is not None


def judge_group(cards: Sequence[Card], *, wild: Rank | Card | str, rules: Rules) -> GroupVerdict:
    """Classify a group; of two possible kinds the owner gets the better one (RB 2.6).

    >>> from rummy.notation.cards import parse_cards
    >>> from rummy.notation.profiles import PROFILES
    >>> rules = PROFILES["total-rummy-points"]
    >>> judge_group(parse_cards("6H 7H 5H"), wild=Rank.SEVEN, rules=rules).kind.value
    'pure_sequence'
    >>> judge_group(parse_cards("JC 7H QC"), wild=Rank.SEVEN, rules=rules).kind.value
    'sequence'
    >>> judge_group(parse_cards("KH AH 2H"), wild=Rank.SEVEN, rules=rules).reasons
    ('not_consecutive',)
    """
    wild = wild_rank(wild)
    group = tuple(cards)
    if rules.loose_jokers and group and all(card.is_joker(wild) for card in group):
        kind, _ = _best_reading(group, wild, rules)
        return GroupVerdict(group, kind or Kind.JOKERS)
    if len(group) < SHORTEST_GROUP:
        return GroupVerdict(group, None, ("too_short",))
    kind, reasons = _best_reading(group, wild, rules)
    return GroupVerdict(group, kind, reasons)


def _best_reading(
    group: tuple[Card, ...], wild: Rank, rules: Rules
) -> tuple[Kind | None, tuple[str, ...]]:
    if len(group) < SHORTEST_GROUP:
        return None, ("too_short",)
    if _is_identical_triple(group, rules):
        return Kind.PURE_SEQUENCE, ()
    kind, sequence_reason = _as_sequence(group, wild, rules)
    if kind is not None:
        return kind, ()
    set_reason = _as_set(group, wild, rules)
    if set_reason is None:
        return Kind.SET, ()
    # Report the reasons of the kind that comes closer; a wrong suit counts as more distant.
    if "mixed_ranks" in set_reason and "mixed_suits" in sequence_reason:
        return None, ("mixed_suits", "mixed_ranks")
    if "mixed_ranks" in set_reason:
        return None, sequence_reason
    return None, set_reason


def _is_identical_triple(group: tuple[Card, ...], rules: Rules) -> bool:
    """Return whether the cards are three of one rank and suit, none used as a joker (RB 2.5)."""
    first = group[0]
    return (
        rules.identical_triples
        and len(group) == 3
        and not first.is_printed_joker
        and group.count(first) == 3
    )


def _as_sequence(
    group: tuple[Card, ...], wild: Rank, rules: Rules
) -> tuple[Kind | None, tuple[str, ...]]:
    """Try all start ranks of a sequence of this length (RB 2.1, 2.2)."""
    naturals = [card for card in group if not card.is_joker(wild)]
    wilds = [card for card in group if card.rank is wild]
    if len({card.suit for card in naturals}) > 1:
        return None, ("mixed_suits",)
    if len(group) > LONGEST_SEQUENCE:
        return None, ("too_long",)
    suits = {card.suit for card in (naturals or wilds)}
    if len({card.rank for card in naturals}) < len(naturals):
        return None, ("not_consecutive",)
    ranks_held = {card.rank for card in naturals}
    reasons: list[str] = []
    impure = False
    for suit in sorted(suit for suit in suits if suit is not None):
        for lowest in range(1, 15 - len(group) + 1):
            # Place 14 is the high ace; no window contains both aces.
            ranks = {place % 13 or 13 for place in range(lowest, lowest + len(group))}
            if not ranks_held <= ranks:
                continue
            as_itself = int(wild in ranks and any(card.suit is suit for card in wilds))
            standing = len(naturals) + as_itself
            jokers = len(group) - standing
            if jokers == 0:
                return Kind.PURE_SEQUENCE, ()
            reason = _joker_reason(jokers, standing, rules.max_jokers_per_sequence, rules)
            impure = impure or reason is None
            reasons += [reason] if reason else []
    if impure:
        return Kind.SEQUENCE, ()
    if not suits:
        return None, ("no_natural_card",)
    return None, (reasons[-1],) if reasons else ("not_consecutive",)


def _as_set(group: tuple[Card, ...], wild: Rank, rules: Rules) -> tuple[str, ...] | None:
    """Return why the group is not a set, or None if it is one (RB 2.3)."""
    naturals = [card for card in group if not card.is_joker(wild)]
    wilds = [card for card in group if card.rank is wild]
    if len({card.rank for card in naturals}) > 1:
        return ("mixed_ranks",)
    if not naturals:  # In a set of the wild rank, one card of each suit is a natural.
        standing = len({card.suit for card in wilds})
    else:
        standing = len(naturals)
        if len({card.suit for card in naturals}) < standing:
            return ("duplicate_suit_in_set",)
    if rules.max_set_size is not None and len(group) > rules.max_set_size:
        return ("too_long",)
    reason = _joker_reason(len(group) - standing, standing, rules.max_jokers_per_set, rules)
    return None if reason is None else (reason,)


def _joker_reason(jokers: int, naturals: int, allowed: int | None, rules: Rules) -> str | None:
    if naturals < rules.min_naturals and jokers:
        return "no_natural_card"
    if allowed is not None and jokers > allowed:
        return "too_many_jokers"
    return None
