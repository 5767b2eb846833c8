"""Validation of a declaration with the groups as they were sent (RB 3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from rummy.errors import ImpossibleHand
from rummy.notation.cards import PRINTED_JOKER, Card, Rank, parse_cards, wild_rank
from rummy.notation.rules import Rules
from rummy.solver.groups import GroupVerdict, Kind, judge_group

CARDS_DECLARED: Final = 13
LONG_LIFE: Final = 4


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a declaration is valid, and all reasons why not, as codes of RB 3.3.

    `reasons` has the codes of the groups, then those of the whole declaration, each once.
    """

    valid: bool
    reasons: tuple[str, ...]
    groups: tuple[GroupVerdict, ...]


def check_declaration(
    groups: Iterable[Sequence[Card] | str],
    *,
    wild: Rank | Card | str,
    rules: Rules,
    held: Iterable[Card] | None = None,
) -> Verdict:
    """Validate a declaration; `held` are the 13 cards besides the finish card, if known.

    >>> from rummy.notation.profiles import PROFILES
    >>> rules = PROFILES["total-rummy-points"]
    >>> ok = "2H 3H 4H 5H", "5C 6C 7C 8C", "5D 5C PJ QH QS"
    >>> check_declaration(ok, wild=Rank.QUEEN, rules=rules).valid
    True
    >>> check_declaration(("QH QH QD", *ok[:2], "9C"), wild=Rank.TWO, rules=rules).reasons
    ('duplicate_suit_in_set', 'too_short', 'wrong_number_of_cards')
    """
    laid = tuple(parse_cards(group) if isinstance(group, str) else tuple(group) for group in groups)
    wild = wild_rank(wild)
    everything = [card for group in laid for card in group]
    refuse_impossible(everything if held is None else held, rules)
    verdicts = tuple(judge_group(group, wild=wild, rules=rules) for group in laid)
    reasons = [reason for verdict in verdicts for reason in verdict.reasons]
    reasons += _gate_reasons(verdicts, rules)
    reasons += _number_reasons(everything, held, wild, rules)
    return Verdict(not reasons, tuple(dict.fromkeys(reasons)), verdicts)


def _gate_reasons(verdicts: Sequence[GroupVerdict], rules: Rules) -> list[str]:
    lives = [(v.kind, len(v.cards)) for v in verdicts if v.kind is not None and v.kind.is_sequence]
    return list(unmet_gates(lives, rules))


def unmet_gates(lives: Sequence[tuple[Kind, int]], rules: Rules) -> tuple[str, ...]:
    """Return the codes of the requirements that these sequences (kind, length) do not meet.

    See RB 3.1 and 3.2.

    >>> from rummy.notation.profiles import PROFILES
    >>> vengala = PROFILES["vengala-points"]
    >>> unmet_gates([(Kind.PURE_SEQUENCE, 3), (Kind.SEQUENCE, 3)], vengala)
    ('no_sequence_of_four',)
    """
    missing = []
    if all(kind is not Kind.PURE_SEQUENCE for kind, _ in lives):
        missing.append("no_pure_sequence")
    if len(lives) < 2:
        missing.append("one_sequence_only")
    if rules.life_of_four != "none" and not _has_long_life(lives, rules):
        missing.append("no_sequence_of_four")
    return tuple(missing)


def _has_long_life(lives: Sequence[tuple[Kind, int]], rules: Rules) -> bool:
    long = [kind for kind, length in lives if length >= LONG_LIFE]
    if rules.life_of_four == "any":
        return bool(long)
    # `other`: the long sequence must be another one than the pure first life.
    pure = sum(kind is Kind.PURE_SEQUENCE for kind, _ in lives)
    return Kind.SEQUENCE in long or (bool(long) and pure > 1)


def _number_reasons(
    everything: Sequence[Card], held: Iterable[Card] | None, wild: Rank, rules: Rules
) -> list[str]:
    """Return reasons if the groups are not the hand's 13 cards, except loose jokers (RB 3.1)."""
    if held is None:
        return [] if len(everything) == CARDS_DECLARED else ["wrong_number_of_cards"]
    owned, laid = Counter(held), Counter(everything)
    if laid - owned:
        return ["not_your_cards"]
    if owned.total() != CARDS_DECLARED:
        return ["wrong_number_of_cards"]
    loose = owned - laid
    if any(not (rules.loose_jokers and card.is_joker(wild)) for card in loose):
        return ["ungrouped_cards"]
    return []


def refuse_impossible(cards: Iterable[Card], rules: Rules) -> None:
    """Raise `ImpossibleHand` for cards that the largest table of these rules lacks (RB 1.2).

    >>> from rummy.notation.profiles import PROFILES
    >>> refuse_impossible(parse_cards("7H 7H 7H"), PROFILES["total-rummy-points"])
    Traceback (most recent call last):
    ...
    rummy.errors.ImpossibleHand: 3 x 7H from 2 decks
    """
    decks = rules.decks_max
    held: dict[Card, int] = {}
    for card in cards:
        held[card] = held.get(card, 0) + 1
    for card, copies in held.items():
        most = decks if card is not PRINTED_JOKER else decks * rules.printed_jokers_per_deck
        if copies > most:
            raise ImpossibleHand("impossible_hand", f"{copies} x {card} from {decks} decks")
