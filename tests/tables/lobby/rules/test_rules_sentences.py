"""Sentences of the rules pages for all profiles and combinations of fields (RB 1-9)."""

import random
import re
from typing import Any, get_args, get_origin

import pytest
from django.utils import translation

from rummy import AnyRules, RulesError
from rummy.notation.house_rules import kinds_of
from rummy.straight import HOUSE_RULES
from tables.games import PROFILES
from tables.lobby.rules.rules_page import rules_page

POOL = PROFILES["total-rummy-pool-101"]
DEALS = PROFILES["total-rummy-best-of-6"]
VENGALA = PROFILES["vengala-points"]
STRAIGHT = PROFILES["straight"]
VIP = PROFILES["vip-straight"]
NO_SPLIT = {"split": False, "auto_split": False}

# One of something has no plural, and nothing is not counted.
ONE_OF_MANY = re.compile(
    r"\b1 (points|jokers|cards|decks|seconds|chips|times|turns|deals|drops|players)\b"
)
NONE_OF_ANY = re.compile(r"(?<!than )\b0 (?!points)|: 0\b")


def sentences_of(rules: AnyRules) -> list[str]:
    sections = rules_page(rules).sections
    return [sentence for section in sections for sentence in section.sentences]


def house_rules(*numbers: int) -> dict[str, Any]:
    """Return the fields of these of the eight house rules of straight rummy, as RB 9.4 has them."""
    names = {
        1: "one meld a turn",
        2: "no laying off before a meld",
        3: "no discard of the taken card",
        4: "the stock ends the deal",
        5: "bonus instead of double",
        6: "aces high and low",
        7: "the last card is discarded",
        8: "penalty scoring",
    }
    return {k: v for number in numbers for k, v in HOUSE_RULES[names[number]].items()}


@pytest.mark.parametrize(
    ("rules", "change", "true", "false"),
    [
        # Straight rummy (RB 9.2-9.4).
        (STRAIGHT, house_rules(5), "adds 10 points.", "off your own total"),
        (STRAIGHT, house_rules(5, 8), "takes 10 points off your own total.", "adds 10"),
        (STRAIGHT, house_rules(8), "doubles the others' points.", "adds"),
        (STRAIGHT, house_rules(4), "the deal ends after that turn", "is refilled"),
        (VIP, {"max_refills": 0}, "the deal ends after that turn", "pile over"),
        (
            VIP,
            {},
            "or turns the whole pile over as a new stock. The stock is refilled once",
            "times",
        ),
        (STRAIGHT, {}, "The stock is refilled up to 3 times in a deal.", "ends after that turn"),
        (STRAIGHT, house_rules(8), "all hands count, the lowest too", "lowest hand scores"),
        (STRAIGHT, house_rules(6), "A-2-3 and Q-K-A are runs", "is none"),
        (STRAIGHT, {"players_max": 2}, "2 players get 10 cards each.", "or 4 players get"),
        (STRAIGHT, {"players_min": 3, "players_max": 5}, "5 players get 6 cards", "2 players get"),
        (STRAIGHT, {"players_min": 3, "players_max": 3}, "3 players.", "3 to 3"),
        # Groups (RB 1.2, 2.2-2.5).
        (VENGALA, {}, "A sequence takes at most one joker.", "1 jokers"),
        (POOL, {"max_jokers_per_sequence": 0}, "A sequence takes no jokers.", "in its gaps"),
        (POOL, {"max_jokers_per_set": 0}, "A set has at most 4 cards.", "of any size"),
        (POOL, {"max_jokers_per_set": 1}, "A set has at most 5 cards.", "of any size"),
        (POOL, {"max_set_size": 3}, "A set has at most 3 cards.", "of any size"),
        (POOL, {"identical_triples": True}, "2 decks of 52 cards.", "identical"),
        (POOL, {"decks": 3, "three_decks_from": 4}, "3 decks of 52 cards.", "From 4 players"),
        (POOL, {"three_decks_from": 2}, "3 decks of 52 cards.", "2 decks"),
        (VENGALA, {"players_max": 4}, "2 decks of 52 cards.", "three decks"),
        (VENGALA, {}, "From 5 players on three decks are used.", "a third deck"),
        (POOL, {"printed_jokers_per_deck": 0}, "no printed jokers.", "If a printed joker"),
        # The price of a hand (RB 4.2-4.6).
        (POOL, {}, "With two sequences, one of them pure, only the cards outside", "whatever"),
        (POOL, {}, "Without them all 13 cards count.", "pure sequences."),
        (POOL, {"unmet": "pure_exempt"}, "not in pure sequences.", "all 13 cards count"),
        (VENGALA, {}, "pure and one of four cards or more, only the cards", "all 13 cards count"),
        (VENGALA, {}, "Without them a hand costs 80 points, whatever", "all 13 cards count"),
        (VENGALA, {"life_of_four": "other"}, "the other of four cards or more, only", "and one of"),
        # The deal (RB 5.5).
        (POOL, {"max_reshuffles": 0}, "the deal ends after that turn", "shuffled into"),
        (POOL, {"max_reshuffles": 1}, "Once in a deal, when the stock", "times in a deal"),
        (POOL, {"max_reshuffles": 2}, "Up to 2 times in a deal", "Once in a deal"),
        # The games (RB 6, 7.3, 7.4).
        (POOL, {"rejoin": False}, "There are no rejoins.", "may rejoin"),
        (POOL, {"split": False}, "The prize is split only if more than 3", "may propose"),
        (POOL, {"auto_split": False}, "may propose to split", "automatically"),
        (
            POOL,
            NO_SPLIT,
            "The prize is never split.",
            "Odd units go to the players with the fewest",
        ),
        (DEALS, {"max_extra_deals": 0}, "Tied players share the prize.", "extra deals"),
        # Time (RB 5.8).
        (POOL, {"extra_seconds": 0}, "There is no extra time.", "Extra time of"),
        (POOL, {"gap_seconds": 0}, "The next deal starts at once.", "pressed"),
        (POOL, {"start_seconds": 0}, "as soon as enough players are seated", "Countdown"),
    ],
)
def test_a_page_states_what_its_rules_do_and_nothing_else(rules, change, true, false):
    said = " ".join(sentences_of(rules.with_(**change)))

    assert true in said
    assert false not in said


def values_of(name: str, kind: Any, rules: AnyRules) -> list[Any]:
    """Return values of a field at and near its ends."""
    if get_origin(kind) is not None and "Literal" in repr(kind):
        return list(get_args(kind))
    if kind is bool:
        return [False, True]
    if kind is str or name == "version":
        return []
    least = rules.AT_LEAST.get(name, 1)
    numbers = [least, least + 1, least + 2]
    return numbers if kind is int else [None, *numbers]


def combinations_of(name: str, number: int) -> list[AnyRules]:
    """Return a profile with one field changed, then with several drawn by chance."""
    base, rng = PROFILES[name], random.Random(name)
    fields = {
        field: values
        for field, kind in kinds_of(type(base)).items()
        if (values := values_of(field, kind, base))
    }
    changes = [{field: value} for field, values in fields.items() for value in values]
    for _ in range(number):
        chosen = rng.sample(sorted(fields), rng.randint(2, 8))
        changes.append({field: rng.choice(fields[field]) for field in chosen})
    found = [base]
    for change in changes:
        try:
            found.append(base.with_(**change))
        except RulesError:
            continue
    return found


@pytest.mark.parametrize("name", PROFILES)
def test_numbers_agree_with_their_nouns_over_all_combinations_of_fields(name):
    found = combinations_of(name, 150)

    assert len(found) > 100
    for rules in found:
        for sentence in sentences_of(rules):
            assert not ONE_OF_MANY.search(sentence), sentence
            assert not NONE_OF_ANY.search(sentence), sentence
            assert "%" not in sentence.replace("10 %", ""), sentence


@pytest.mark.parametrize("name", PROFILES)
def test_every_combination_of_fields_is_written_in_hindi(name):
    found = combinations_of(name, 100)

    assert len(found) > 50
    for rules in found:
        english = sentences_of(rules)
        with translation.override("hi"):
            hindi = sentences_of(rules)
        assert len(hindi) == len(english)
        for sentence in hindi:
            assert re.search("[\u0900-\u097f]", sentence), sentence
