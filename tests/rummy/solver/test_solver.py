"""The solver equals the exhaustive reference, also for hands that other engines get wrong."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rummy import (
    Card,
    ImpossibleHand,
    NotationError,
    Rank,
    Rules,
    best_arrangement,
    check_declaration,
    declarable,
    judge_group,
    parse_cards,
)
from rummy.notation.cards import PRINTED_JOKER, wild_rank
from tests.amounts import first
from tests.builders.cards import early, reference
from tests.builders.cards.hands import (
    CLASSES,
    RULE_SETS,
    TOTAL,
    VENGALA,
    any_rules,
    hand_of,
    rules_of,
)


def agree(hand: list[Card], wild: Card, rules: Rules) -> None:
    """Points, gate and declarability are the reference's, and the arrangement is a witness."""
    expected = early.solve([str(card) for card in hand], str(wild_rank(wild)), rules_of(rules))

    found = best_arrangement(hand, wild=wild, rules=rules)

    assert (found.raw_points, found.points, found.unmet) == (
        expected.raw_points,
        expected.points,
        expected.unmet,
    )
    laid = Counter(found.deadwood)
    for group in found.groups:
        laid.update(group.cards)
        assert judge_group(group.cards, wild=wild, rules=rules).kind is not None
    assert laid == Counter(hand)
    assert found.raw_points == sum(card.points(wild_rank(wild)) for card in found.deadwood)
    if len(hand) == 13:
        verdict = check_declaration(
            [group.cards for group in found.groups], wild=wild, rules=rules, held=hand
        )
        assert verdict.valid == expected.declarable == found.declares(rules)


# A thousand hands for each profile take one core some twenty minutes.
MANY = [pytest.mark.soak, pytest.mark.timeout(0)]


@pytest.mark.parametrize("hands", [5, pytest.param(1_000, marks=MANY)])
@pytest.mark.parametrize("rules", first(5, RULE_SETS), ids=lambda rules: str(rules.name))
def test_the_fast_solver_agrees_with_the_exhaustive_one(rules: Rules, hands: int) -> None:
    rng = random.Random(rules.to_text())

    for turn in range(hands):
        kind = CLASSES[turn % 5]
        most = 4 if hands == 5 else 8 if kind == "jokers" else 5
        hand, wild = hand_of(kind, rng, rules, rng.choice([13, 13, 14]), most_jokers=most)
        agree(hand, wild, rules)


@pytest.mark.extended
@pytest.mark.parametrize("rules", [TOTAL, VENGALA], ids=lambda rules: str(rules.name))
@pytest.mark.soak
def test_turning_subsets_away_early_changes_no_answer(rules: Rules) -> None:
    rng, reference_rules = random.Random(f"early {rules.name}"), rules_of(rules)

    for kind in CLASSES:
        hand, wild = hand_of(kind, rng, rules, 11, most_jokers=4)
        cards, rank = [str(card) for card in hand], str(wild_rank(wild))
        assert early.solve(cards, rank, reference_rules) == reference.solve(
            cards, rank, reference_rules
        )


@pytest.mark.parametrize("seed", [*first(5, range(60)), pytest.param("thousands", marks=MANY)])
def test_the_fast_solver_agrees_for_random_rules(seed: int | str) -> None:
    rng = random.Random(f"any rules {seed}")
    many, most = (4_000, 5) if seed == "thousands" else (1, 4)
    for turn in range(many):
        rules = any_rules(rng)
        kind = CLASSES[(seed if isinstance(seed, int) else turn) % 5]
        hand, wild = hand_of(kind, rng, rules, rng.choice([13, 14]), most_jokers=most)
        agree(hand, wild, rules)


@pytest.mark.parametrize(
    ("hand", "wild", "points", "why"),
    [
        ("AH AH KH 2C 3C 4C 5C 9D 9S 9H 7D JD 4S", "QC", 80, "A-A-K is no sequence"),
        ("KH AH 2H 2C 3C 4C 9D 9S 9H 6D JD 4S TS", "QC", 80, "nor is K-A-2"),
        ("5S 6S 7S 5D 6D 7D 9C 9H 9D KS KH KD 2C", "7C", 2, "a wild card may stand for itself"),
        ("6S 7S 8S 9D TD PJ KS KH KD 2C 2D 2H 4C", "7C", 4, "the only pure run holds a wild card"),
        ("5H 6H 7H 5H 6H 7H 9C 9D 9S KC KD KH 2C", "AC", 2, "two equal runs from two decks"),
        ("2H 3H 4H 5C 6C 7C 9C 9D 9H 9S PJ QC KH", "AC", 20, "four of a rank and a joker"),
        ("2H 3H 4H 8C PJ PJ 9C 9D 9S QC QD QH 5S", "KC", 5, "a natural and two jokers are a life"),
        ("2H 3H 4H 5H 6H 9C TC JC QC KC 7D 7S 7H", "8S", 0, "runs of five"),
        ("2H 3H 4H 9C 9D 9S QC QD QH 5S 5C 5D 8H", "KC", 80, "sets are no second life"),
        ("QH KH AH AH 2H 3H 9C 9D 9S 5S 5C 5D 8H", "7C", 8, "two aces, one high, one low"),
        ("QH KH AH 2H 3H 9C 9D 9S 5S 5C 5D 8H 8S", "7C", 80, "one ace does not stand twice"),
    ],
)
def test_faults_seen_elsewhere_are_not_made(hand: str, wild: str, points: int, why: str) -> None:
    (turned,) = parse_cards(wild)

    best = best_arrangement(parse_cards(hand), wild=turned, rules=TOTAL)

    assert best.points == points, why


def test_impossible_hands_are_refused() -> None:
    for hand in ("7H 7H 7H", "PJ PJ PJ", "", "2C " * 15):
        with pytest.raises(ImpossibleHand):
            best_arrangement(parse_cards(hand), wild=Rank.TWO, rules=TOTAL)


@pytest.mark.parametrize(
    ("hand", "wild", "code"),
    [
        ("5H 6H 7H", Rank.TWO, "bad_card"),
        (["5H", "6H"], Rank.TWO, "bad_card"),
        ([5, None], Rank.TWO, "bad_card"),
        (parse_cards("5H 6H 7H"), "1", "bad_rank"),
        (parse_cards("5H 6H 7H"), 2, "bad_rank"),
    ],
)
def test_invalid_cards_raise_their_code(hand: Any, wild: Any, code: str) -> None:
    with pytest.raises(NotationError) as refusal:
        best_arrangement(hand, wild=wild, rules=TOTAL)

    assert refusal.value.code == code


def test_an_ungated_vengala_hand_costs_flat_eighty() -> None:
    hand = parse_cards("2C 2D 2H 5C 5D 5H 8C 8D 8H TS 6D 7S QS")

    best = best_arrangement(hand, wild=Rank.KING, rules=VENGALA)

    assert (best.points, best.raw_points, best.unmet) == (80, 78, "no_pure_sequence")


def test_of_two_deals_the_same_cards_are_laid_the_same_way() -> None:
    rng = random.Random(7)
    hand, wild = hand_of("late", rng, TOTAL)
    first = best_arrangement(hand, wild=wild, rules=TOTAL)

    for _ in range(20):
        rng.shuffle(hand)
        assert best_arrangement(hand, wild=wild, rules=TOTAL) == first


seeds = st.integers(0, 2**32)
kinds = st.sampled_from(CLASSES)
rulesets = st.sampled_from(RULE_SETS)


def swap_suits(card: Card, order: list[int]) -> Card:
    return card if card.suit is None else Card(order[card.suit] * 13 + card.index % 13)


@settings(max_examples=60, deadline=None)
@given(seeds, kinds, rulesets)
def test_swapping_suits_changes_no_points(seed: int, kind: str, rules: Rules) -> None:
    rng = random.Random(seed)
    hand, wild = hand_of(kind, rng, rules)
    order = rng.sample(range(4), 4)

    swapped = [swap_suits(card, order) for card in hand]

    before = best_arrangement(hand, wild=wild, rules=rules)
    after = best_arrangement(swapped, wild=wild_rank(wild), rules=rules)
    assert (before.points, before.unmet) == (after.points, after.unmet)


@settings(max_examples=60, deadline=None)
@given(seeds, kinds, rulesets)
def test_an_added_joker_never_raises_the_points(seed: int, kind: str, rules: Rules) -> None:
    hand, wild = hand_of(kind, random.Random(seed), rules)
    roomy = rules.with_(printed_jokers_per_deck=4)
    if hand.count(PRINTED_JOKER) >= 8:
        return

    before = best_arrangement(hand, wild=wild, rules=roomy)
    after = best_arrangement([*hand, PRINTED_JOKER], wild=wild, rules=roomy)

    assert after.points <= before.points
    assert 0 <= after.points <= rules.cap


@settings(max_examples=25, deadline=None)
@given(seeds, kinds)
def test_exactly_the_listed_finish_cards_declare(seed: int, kind: str) -> None:
    hand, wild = hand_of(kind, random.Random(seed), TOTAL, size=14)
    ways = dict(declarable(hand, wild=wild, rules=TOTAL))

    for card in set(hand):
        left = list(hand)
        left.remove(card)
        best = best_arrangement(left, wild=wild, rules=TOTAL)
        assert (card in ways) == best.declares(TOTAL)
    for card, laid in ways.items():
        left = list(hand)
        left.remove(card)
        groups = [group.cards for group in laid.groups]
        assert check_declaration(groups, wild=wild, rules=TOTAL, held=left).valid
