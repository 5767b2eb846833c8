"""`python -m rummy`: answers and refusals, never a traceback."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rummy.command_line.answers import ANSWERS
from rummy.errors import RummyError
from tests.builders.cards.hands import WORKED


def test_score_answers_as_text_and_as_json(ask: Any) -> None:
    code, said, _ = ask("score", WORKED, "--wild", "K", "--profile", "total-rummy-pool-101")
    _, printed, _ = ask("score", WORKED, "--wild", "KH", "--json")

    assert code == 0
    assert "points: 2" in said
    assert json.loads(printed) == {
        "points": 2,
        "raw_points": 2,
        "declarable": False,
        "groups": [
            {"kind": "pure_sequence", "cards": "9C TC JC"},
            {"kind": "pure_sequence", "cards": "5H 6H 7H"},
            {"kind": "sequence", "cards": "QD KD PJ"},
            {"kind": "set", "cards": "4D 4H 4S"},
        ],
        "deadwood": "2C",
        "unmet": None,
    }


def test_hand_of_fourteen_cards_lists_the_finish_cards(ask: Any) -> None:
    hand = "2H 3H 4H 5C 6C 7C 8C 9D 9S 9H QD QH QS KD"

    _, out, _ = ask("score", hand, "--wild", "A", "--json")

    answer = json.loads(out)
    assert (answer["declarable"], answer["finish_cards"]) == (True, "KD")


def test_declare(ask: Any) -> None:
    groups = ["5H 6H 7H", "9C TC JC", "KD KS KC", "2C 2D 2H 2S"]
    lines = [
        {"groups": groups, "wild": "A", "profile": "total-rummy-points"},
        {"groups": groups[:3], "wild": "A"},
        {"groups": [*groups[:3], "2C 2C 2H 2S"], "wild": "A"},
        {"groups": groups, "wild": "A", "held": "KH"},
        {"groups": "5H 6H 7H | KD", "wild": "A"},
        {"groups": 5, "wild": "A"},
    ]

    _, out, _ = ask("declare", "--jsonl", lines=lines)

    answers = [json.loads(line) for line in out.splitlines()]
    assert (answers[0]["valid"], answers[0]["reasons"]) == (True, [])
    assert answers[1]["reasons"] == ["wrong_number_of_cards"]
    assert answers[2]["reasons"] == ["duplicate_suit_in_set"]
    assert answers[3]["reasons"] == ["not_your_cards"]
    assert answers[4]["reasons"] == ["too_short", "one_sequence_only", "wrong_number_of_cards"]
    assert answers[5]["error"] == "bad_groups"


def test_split_rejoin_and_payout(ask: Any) -> None:
    table = {"profile": "total-rummy-pool-101", "started": 5, "entries": 7}
    money = {"entry": 10000, "rake_bps": 1000}

    _, split, _ = ask("split", "--jsonl", lines=[{**table, **money, "scores": [20, 55, 92]}])
    _, owed, _ = ask("split", "--jsonl", lines=[{**table, **money, "scores": [20], "entry": -5}])
    _, rejoin, _ = ask(
        "rejoin",
        "--profile",
        "total-rummy-pool-101",
        "--scores",
        "50,79",
        "--started",
        "3",
        "--json",
    )
    _, paid, _ = ask(
        "payout", "--points", "0,50,30", "--value", "50", "--rake-bps", "1000", "--json"
    )
    _, prize, _ = ask(
        "payout", "--entries", "7", "--entry", "10000", "--rake-bps", "1000", "--json"
    )

    assert json.loads(split) == {
        "eligible": True,
        "auto": False,
        "shares": [39000, 21000, 3000],
        "why": None,
    }
    assert json.loads(owed)["error"] == "negative_number"
    assert json.loads(rejoin) == {"allowed": True, "score": 80, "why": None}
    assert json.loads(paid) == {"losses": [0, 2500, 1500], "gross": 4000, "rake": 400, "net": 3600}
    assert json.loads(prize) == {"prize": 63000, "rake": 7000}


def test_house_rules_are_changed_by_option(ask: Any) -> None:
    hand = "2H 3H 4H 5C PJ PJ 7C 9D 9S 9H QD QH QS"
    _, free, _ = ask("score", hand, "--wild", "A", "--json")
    _, one, _ = ask("score", hand, "--wild", "A", "--json", "--set", "max_jokers_per_sequence=1")
    code, _, err = ask("score", hand, "--wild", "A", "--set", "first_drop=none")

    assert json.loads(free)["points"] == 0
    assert json.loads(one)["declarable"] is True
    assert (code, err.split(":")[0]) == (1, "bad_value")


POOL = ("--profile", "total-rummy-pool-101")
SPLIT = ("split", *POOL, "--entry", "100", "--rake-bps", "0")
PAYOUT = ("payout", "--value", "5", "--rake-bps", "0")
ONE = ("--started", "1", "--entries", "1")
REFUSED = [
    (("score", "5H 6X", "--wild", "K"), "bad_card"),
    (("score", WORKED, "--wild", "Z"), "bad_rank"),
    (("score", "", "--wild", "7"), "impossible_hand"),
    (("score",), "missing_field"),
    (("verify", "/nowhere/at/all"), "no_file"),
    (("verify",), "missing_field"),
    (("replay", "/"), "no_file"),
    (("deal", "--seed", "xyz"), "bad_seed"),
    (("deal", "--seed", " ".join(["00"] * 32)), "bad_seed"),
    (("deal", "--client-seed", "x" * 1_001), "bad_seed"),
    (("deal", "--client-seed", "a", "--client-seed", "b", "--client-seed", "c"), "bad_seed"),
    (("deal", "--profile", "nobody"), "unknown_profile"),
    (("deal", "--players", "0"), "bad_players"),
    (("deal", "--players", "7"), "bad_players"),
    (("deal", "--players", "6", "--profile", "vengala-points"), "bad_players"),
    (("deal", "--players", "-1"), "negative_number"),
    (("deal", "--players", "two"), "bad_field"),
    (("rejoin", "--scores", "5,5", "--started", "9" * 400), "bad_field"),
    (("rejoin", *POOL, "--scores", "", "--started", "0"), "bad_players"),
    (("rejoin", *POOL, "--scores", "1,2,3", "--started", "2"), "bad_players"),
    (("split", "--scores", "5", *ONE, "--entry", "1"), "missing_field"),
    ((*SPLIT, "--scores", "1,2,3", "--started", "2", "--entries", "7"), "bad_entries"),
    ((*PAYOUT, "--points", "0"), "bad_players"),
    ((*PAYOUT, "--points", "0,81"), "too_many_points"),
    ((*PAYOUT, "--points", "0,61,10", "--profile", "total-rummy-pool-61"), "too_many_points"),
    (("payout", "--entries", "0", "--entry", "5", "--rake-bps", "0"), "bad_entries"),
    (("payout", "--entries", "1"), "missing_field"),
]


@pytest.mark.parametrize(("words", "code"), REFUSED)
def test_a_refusal_is_one_line_with_its_code_and_exit_one(
    ask: Any, words: tuple[str, ...], code: str
) -> None:
    exit_code, out, err = ask(*words)
    as_json, refused, _ = ask(*words, "--json")

    assert (exit_code, out, as_json) == (1, "", 1)
    assert err.startswith(f"{code}: ")
    assert err.count("\n") == 1
    assert json.loads(refused) == {"error": code, "message": err.partition(": ")[2].rstrip("\n")}


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ({"rules": {"self": 1}}, "unknown_field"),
        ({"rules": {"cap": 10**9}}, "bad_value"),
        ({"scores": [5, 101]}, "bad_score"),
        ({"entry": 10**16}, "number_too_large"),
        ({"entry": 1.5}, "bad_field"),
        ({"entry": True}, "bad_field"),
        ({"entry": -1}, "negative_number"),
        ({"rake_bps": 10_001}, "bad_rate"),
        ({"started": 7}, "bad_players"),
        ({"entries": 1}, "bad_entries"),
        ({"profile": "total-rummy-points"}, "no_pool"),
    ],
)
def test_a_split_that_cannot_be_is_refused_by_code(query: dict[str, Any], code: str) -> None:
    whole = {
        "profile": "total-rummy-pool-101",
        "scores": [20, 55],
        "started": 5,
        "entries": 7,
        "entry": 10000,
        "rake_bps": 1000,
    }

    with pytest.raises(RummyError) as refusal:
        ANSWERS["split"]({**whole, **query})

    assert refusal.value.code == code
