"""RB 3: the declarations of the source pages, and every reason for a refusal."""

from __future__ import annotations

import pytest

from rummy import (
    PROFILES,
    ImpossibleHand,
    Rules,
    check_declaration,
    parse_cards,
    parse_groups,
    parse_rank,
)

TOTAL = PROFILES["total-rummy-points"]
CENTRAL = PROFILES["rummycentral-points"]
VENGALA = PROFILES["vengala-points"]

# S0's red suits were lost in copying: hearts and diamonds are put back where they fit.
SEEDS = [
    (VENGALA, "9", "AH KH QH JH | 2C 3C 4C | 5H 5S 5D | KD KH KC", ()),
    (VENGALA, "K", "AH 2H 3H KD | 2C 3C 4C | 5H 5S 5D | KD KH KC", ()),
    (VENGALA, "A", "PJ 8H 9H TH | 2C 3C 4C | 5H AC 5D | KD KH KC", ()),
    (VENGALA, "9", "AH KH QH JH | 2C 3C 4C 5C 6C | 6H 6D 6H 6C", ("duplicate_suit_in_set",)),
    (
        VENGALA,
        "9",
        "3H 3S 3D 3C | 6H 6S 6D | AH AC AD | 5H 5S 5D",
        ("no_pure_sequence", "one_sequence_only", "no_sequence_of_four"),
    ),
    (VENGALA, "K", "AH 2H 3H 4H | 5C 5S 5D | 6H 6S 6D | 3H 3S 3D", ("one_sequence_only",)),
    (
        VENGALA,
        "K",
        "AH 2H KD | 2C KH 4C 5C 6C | 6H 6D 6H 6C",
        ("duplicate_suit_in_set", "no_pure_sequence", "wrong_number_of_cards"),
    ),
    (VENGALA, "K", "8H 9H TH | 2C 3C 4C | 5H 5S 5D | QH QD QC KD", ("no_sequence_of_four",)),
    # Its three combinations of lives, each with two sets beside it.
    (VENGALA, "2", "5H 6H 7H | AH KH QH JH | 9C 9D 9S | 3C 3D 3S", ()),
    (VENGALA, "J", "5H JS 7H | AH KH QH JH | 9C 9D 9S | 3C 3D 3S", ()),
    (VENGALA, "J", "5H 6H 7H | AH JS QH JH | 9C 9D 9S | 3C 3D 3S", ()),
    # A picture of it is all the page has: four pure, three with a wild 8C, a set, a set with PJ.
    (TOTAL, "8", "3H 4H 5H 6H | TS JS 8C | KC KD KH | 9C 9D PJ", ()),
    (TOTAL, "Q", "2H 3H 4H 5H | 5C 6C 7C 8C | 5D 5C PJ QH QS", ()),
    (
        TOTAL,
        "2",
        "TS TH TD TC | 5S 5H 5D | 6S 6H 6C | 9H 9D PJ",
        ("no_pure_sequence", "one_sequence_only"),
    ),
    (TOTAL, "2", "KH KS KD | 6H 7H PJ | 9S TS JS PJ | 5S 5H 5D", ("no_pure_sequence",)),
    (TOTAL, "2", "QH QS QD | 6H 7H 8H 9H | 5S 5H 5D | TS TH TD", ("one_sequence_only",)),
    (CENTRAL, "2", "AD 2D 3D 4D | 5S 6S 7S | 9D 9S 9C | QS QD QC", ()),
    (CENTRAL, "7", "3H 4H 5H 6H | JC 7H QC | QS QD QC | 9S 9H 9C", ()),
]


@pytest.mark.parametrize(("rules", "wild", "groups", "reasons"), SEEDS)
def test_declarations_of_the_source_pages(
    rules: Rules, wild: str, groups: str, reasons: tuple[str, ...]
) -> None:
    verdict = check_declaration(parse_groups(groups), wild=parse_rank(wild), rules=rules)

    assert verdict.reasons == reasons
    assert verdict.valid == (not reasons)


def test_total_rummys_winner_lacks_a_card_and_declares_with_any_third_queen_of_a_run() -> None:
    groups = parse_groups("TD JD QD | 2D 5S 6S | 3C 3S 3H | JS QS KS")
    whole = parse_groups("TD JD QD | 2D 5S 6S | 3C 3S 3H 3D | JS QS KS")

    assert check_declaration(groups, wild=parse_rank("2"), rules=TOTAL).reasons == (
        "wrong_number_of_cards",
    )
    assert check_declaration(whole, wild=parse_rank("2"), rules=TOTAL).valid


GOOD = "5H 6H 7H | 9C TC JC | KD KS KC | 2C 2D 2H 2S"


@pytest.mark.parametrize(
    ("groups", "reasons"),
    [
        (GOOD, ()),
        (GOOD.replace("5H 6H 7H", "5H 6H"), ("too_short", "one_sequence_only", "ungrouped_cards")),
        (GOOD.replace(" | 9C TC JC", " 9C TC JC"), ("mixed_suits", "mixed_ranks")),
        (GOOD.replace("KD KS KC", "KD KS QH"), ("mixed_suits", "mixed_ranks", "not_your_cards")),
        (GOOD.replace("| 2C 2D 2H 2S", ""), ("ungrouped_cards",)),
        (
            GOOD.replace("9C TC JC", "9C TC KC").replace("KD KS KC", "KD KS JC"),
            ("not_consecutive",),
        ),
    ],
)
def test_the_groups_are_held_against_the_hand(groups: str, reasons: tuple[str, ...]) -> None:
    held = parse_cards(GOOD.replace("|", " "))

    verdict = check_declaration(parse_groups(groups), wild=parse_rank("A"), rules=TOTAL, held=held)

    assert verdict.reasons[: len(reasons)] == reasons
    assert verdict.valid == (not reasons)


def test_a_twin_may_not_be_laid_twice() -> None:
    held = parse_cards("5H 6H 7H 9C TC JC KD KS KC 2C 2D 2H 4S")
    groups = parse_groups("5H 6H 7H | 9C TC JC | KD KS KC | 2C 2D 2H 5H")

    verdict = check_declaration(groups, wild=parse_rank("A"), rules=TOTAL, held=held)

    assert "not_your_cards" in verdict.reasons


def test_loose_jokers_are_a_house_rule() -> None:
    held = parse_cards("AH KH QH JH 2C 3C 4C 5H 5S 5D 9D PJ PJ")
    groups = parse_groups("AH KH QH JH | 2C 3C 4C | 5H 5S 5D")

    vengala = check_declaration(groups, wild=parse_rank("9"), rules=VENGALA, held=held)
    total = check_declaration(groups, wild=parse_rank("9"), rules=TOTAL, held=held)

    assert vengala.valid
    assert total.reasons == ("ungrouped_cards",)


@pytest.mark.parametrize(
    ("life", "groups", "valid"),
    [
        ("any", "AH KH QH JH | 2C 3C PJ | 5H 5S 5D | 8C 8D 8H", True),
        ("other", "AH KH QH JH | 2C 3C PJ | 5H 5S 5D | 8C 8D 8H", False),
        ("other", "AH KH QH | 2C 3C PJ 5C | 5H 5S 5D | 8C 8D 8H", True),
        ("other", "AH KH QH JH | 2C 3C 4C | 5H 5S 5D | 8C 8D 8H", True),
        ("none", "AH KH QH | 2C 3C PJ | 5H 5S 5D | 8C 8D 8H 8S", True),
        ("any", "AH KH QH | 2C 3C PJ | 5H 5S 5D | 8C 8D 8H 8S", False),
    ],
)
def test_the_life_of_four(life: str, groups: str, valid: bool) -> None:
    rules = VENGALA.with_(life_of_four=life)

    assert check_declaration(parse_groups(groups), wild=parse_rank("6"), rules=rules).valid == valid


def test_cards_no_table_could_deal_are_an_error_not_a_verdict() -> None:
    with pytest.raises(ImpossibleHand):
        check_declaration(parse_groups("7H 7H 7H"), wild=parse_rank("A"), rules=TOTAL)
