"""RB 6: rules profiles as data, their text form, and invalid ones."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rummy import PROFILES, Rules, RulesError, RummyError, profile

POOL = PROFILES["total-rummy-pool-101"]


PROFILE_FIELDS = ("first_drop", "middle_drop", "cap", "limit", "deals", "chips", "players_max")


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("total-rummy-points", (20, 40, 80, None, None, None, 6)),
        ("total-rummy-pool-61", (15, 30, 60, 61, None, None, 6)),
        ("total-rummy-pool-101", (20, 40, 80, 101, None, None, 6)),
        ("total-rummy-pool-201", (25, 50, 80, 201, None, None, 6)),
        ("total-rummy-best-of-2", (20, 40, 80, None, 2, 160, 6)),
        ("total-rummy-best-of-3", (20, 40, 80, None, 3, 240, 6)),
        ("total-rummy-best-of-6", (20, 40, 80, None, 6, 480, 6)),
        ("rummycentral-points", (20, 40, 80, None, None, None, 6)),
        ("vengala-points", (10, 30, 80, None, None, None, 5)),
        ("vengala-pool-101", (10, 30, 80, 101, None, None, 5)),
        ("vengala-pool-201", (10, 30, 80, 201, None, None, 5)),
    ],
)
def test_the_profiles_are_those_of_the_rulebook(name: str, values: tuple[int | None, ...]) -> None:
    rules = profile(name)

    assert tuple(getattr(rules, field) for field in PROFILE_FIELDS) == values
    assert rules.rejoin == rules.split == name.startswith("total-rummy-pool")
    assert rules.drops_allowed == (name not in {"total-rummy-best-of-2", "total-rummy-best-of-3"})
    decks = [rules.decks_for(players) for players in (2, 4, 5)]
    assert decks == ([2, 2, 3] if name.startswith("vengala") else [2, 2, 2])
    assert name.startswith("vengala") or rules.printed_jokers_per_deck == 1


@pytest.mark.parametrize("rules", PROFILES.values(), ids=PROFILES.keys())
def test_text_and_dict_read_back(rules: Rules) -> None:
    assert Rules.from_text(rules.to_text()) == rules
    assert Rules.from_dict(rules.to_dict()) == rules
    assert Rules.from_text("# a comment\n\n" + rules.to_text()).to_text() == rules.to_text()


@pytest.mark.parametrize(
    ("overrides", "code"),
    [
        ({"caps": 80}, "unknown_field"),
        ({"cap": "80"}, "bad_value"),
        ({"cap": True}, "bad_value"),
        ({"cap": 101}, "bad_limit"),
        ({"first_drop": 0}, "bad_drops"),
        ({"first_drop": 50}, "bad_drops"),
        ({"middle_drop": 90}, "bad_drops"),
        ({"limit": None}, "bad_limit"),
        ({"unmet": "most"}, "bad_value"),
        ({"life_of_four": None}, "bad_value"),
        ({"family": "straight"}, "bad_value"),
        ({"players_max": 7}, "bad_players"),
        ({"players_min": 1}, "bad_value"),
        ({"decks": 1}, "bad_decks"),
        ({"min_naturals": 4}, "bad_value"),
        ({"name": "two\nlines"}, "bad_value"),
        ({"name": ""}, "bad_value"),
        ({"deals": 3}, "bad_deals"),
        ({"turn_seconds": 0}, "bad_value"),
        ({"turn_seconds": 86_401}, "bad_value"),
        ({"max_reshuffles": 10**7}, "bad_value"),
        ({"name": "x" * 101}, "bad_value"),
        ({"self": 1}, "unknown_field"),
        ({"least_loss": 21}, "bad_drops"),
        ({"least_loss": -1}, "bad_value"),
        ({"misses_allowed_for_two": 0}, "bad_value"),
        ({"auto_split_from": 101}, "bad_limit"),
        ({"rejoin_at_most": -1}, "bad_value"),
        ({"max_rejoins": 0}, "bad_value"),
        ({"max_rejoins": 1, "rejoin": False}, "bad_rejoin"),
        ({"rejoin_at_most": 50, "rejoin": False}, "bad_rejoin"),
        ({"auto_split_from": 60, "auto_split": False}, "bad_split"),
        ({"drops_allowed": False}, "bad_split"),
        ({"drops_allowed": False, "split": False}, "bad_split"),
        ({"unmet": "pure_exempt", "unmet_points": "flat"}, "bad_unmet"),
    ],
)
def test_rules_that_contradict_themselves_are_refused(overrides: dict[str, Any], code: str) -> None:
    with pytest.raises(RulesError) as refusal:
        POOL.with_(**overrides)

    assert refusal.value.code == code


def test_a_file_with_a_line_missing_doubled_or_foreign_is_refused_with_its_number() -> None:
    lines = POOL.to_text().splitlines()
    for text, code in (
        ("\n".join(lines[:-1]), "missing_field"),
        ("\n".join([*lines, lines[3]]), "repeated_field"),
        ("\n".join([*lines, "owner: mine"]), "unknown_field"),
        ("\n".join([*lines, "no colon"]), "bad_line"),
        (POOL.to_text().replace("cap: 80", "cap: eighty"), "bad_value"),
        (POOL.to_text().replace("rejoin: yes", "rejoin: True"), "bad_value"),
    ):
        with pytest.raises(RulesError) as refusal:
            Rules.from_text(text)
        assert refusal.value.code == code


def test_unknown_profiles_are_refused() -> None:
    with pytest.raises(RulesError) as refusal:
        profile("total-rummy")

    assert refusal.value.code == "unknown_profile"


@settings(max_examples=25)
@given(st.text(max_size=200))
def test_any_text_parses_as_rules_or_raises(text: str) -> None:
    with pytest.raises(RummyError):
        Rules.from_text(text)


@given(st.integers(1, 400), st.integers(1, 100), st.integers(1, 100), st.integers(1, 100))
def test_a_custom_pool_is_legal_by_one_inequality(
    limit: int, first: int, middle: int, cap: int
) -> None:
    is_legal = 0 < first <= middle <= cap < limit and limit - first - 2 >= 0
    try:
        POOL.with_(limit=limit, first_drop=first, middle_drop=middle, cap=cap)
    except RulesError:
        assert not is_legal
    else:
        assert is_legal


@pytest.mark.parametrize("field", ["rejoin_at_most", "auto_split_from", "max_rejoins"])
def test_points_tables_have_neither_rejoins_nor_splits(field: str) -> None:
    with pytest.raises(RulesError, match=r"belongs? to pools"):
        PROFILES["total-rummy-points"].with_(**{field: 50})
