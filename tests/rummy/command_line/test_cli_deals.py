"""`python -m rummy deal|replay|verify`: whole deals and their files."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from rummy import parse_position
from rummy.history.files import dumps, loads
from rummy.thirteen import outcome
from tests.builders.cards.dealing import ZERO_SEED
from tests.builders.cards.hands import WORKED


def test_a_deal_is_dealt_replayed_and_verified(ask: Any, tmp_path: Path) -> None:
    file = tmp_path / "deal.txt"
    words = ("deal", "--profile", "vengala-pool-101", "--players", "3", "--seed", ZERO_SEED)

    _, dealt, _ = ask(*words, "--client-seed", "mine")
    file.write_text(dealt)
    code, said, _ = ask("verify", str(file))
    _, positions, _ = ask("replay", str(file), "--json")
    file.write_text(dealt.replace("ending: show", "ending: exhausted"))
    lied, _, err = ask("verify", str(file))

    assert ask(*words, "--client-seed", "mine")[1] == dealt
    assert (code, said.splitlines()[0]) == (0, "verified: yes")
    moves = dealt.split("[moves]\n")[1].split("\n\n")[0].splitlines()
    assert [json.loads(line)["move"] for line in positions.splitlines()] == ["", *moves]
    assert lied == 1
    assert err.startswith("tampered: line ")


def test_standard_input_is_not_both_the_file_and_the_lines(ask: Any) -> None:
    code, out, err = ask("verify", "-", "--jsonl", lines=["rummy deal 2"])

    assert (code, out) == (1, "")
    assert err.startswith("bad_field: ")


def test_whole_deals_go_in_batches_too(ask: Any, tmp_path: Path) -> None:
    lines = [
        {"seed": ZERO_SEED, "players": 3, "client_seeds": ["mine"]},
        {"seed": ZERO_SEED, "profile": "vengala-pool-101", "rules": {"cap": 60}},
        {"seed": ""},
        {"seed": ZERO_SEED, "client_seeds": ["a", "b", "c"]},
        {"seed": ZERO_SEED, "client_seeds": "a"},
        {"seed": ZERO_SEED, "client_seeds": ["\ud800"]},
        {"players": 10**9},
    ]

    _, out, _ = ask("deal", "--jsonl", lines=lines)

    dealt = [json.loads(line) for line in out.splitlines()]
    assert [answer.get("error") for answer in dealt[2:]] == [
        "bad_seed",
        "bad_seed",
        "bad_field",
        "bad_seed",
        "bad_players",
    ]
    file = tmp_path / "deal.txt"
    file.write_text(dealt[1]["history"])
    shown = [dealt[0], {"file": str(file)}, {}, {"file": "\0"}, {"history": "x", "file": "x"}]
    _, verified, _ = ask("verify", "--jsonl", lines=shown)
    _, replayed, _ = ask("replay", "--jsonl", lines=shown[:1])
    answers = [json.loads(line) for line in verified.splitlines()]
    assert [answer.get("error", answer.get("verified")) for answer in answers] == [
        True,
        True,
        "missing_field",
        "no_file",
        "unknown_field",
    ]
    assert len(answers[0]["points"]) == 3
    assert answers[0]["points"][answers[0]["winner"] - 1] == 0
    positions = json.loads(replayed)["positions"]
    assert len(positions) == answers[0]["moves"] + 1
    last = parse_position(positions[-1]["position"])
    assert outcome(last).points(1) == answers[0]["points"][0]  # type: ignore[union-attr]


def test_a_deal_that_breaks_off_is_not_verified(ask: Any, tmp_path: Path) -> None:
    _, dealt, _ = ask("deal", "--seed", ZERO_SEED)
    history = loads(dealt)
    file = tmp_path / "deal.txt"
    file.write_text(dumps(replace(history, moves=history.moves[:1])))

    code, _, err = ask("verify", str(file))

    assert (code, err.split(":")[0]) == (1, "unfinished_deal")


def test_a_batch_answers_line_by_line_and_outlives_bad_lines(ask: Any) -> None:
    lines = [
        {"hand": WORKED, "wild": "K", "profile": "total-rummy-pool-101"},
        "not json",
        {"hand": "7H 7H 7H", "wild": "K"},
        [],
        {"hand": WORKED, "wild": "K", "rules": {"caps": 1}},
        {"hand": WORKED, "wild": "K", "profile": "nobody"},
        {"hand": WORKED},
        {"hand": WORKED, "wild": "K", "colour": 1},
        {"hand": 7, "wild": "K"},
        {"hand": "2C 2D 2H 5C 5D 5H 8C 8D 8H TS 6D 7S QS", "wild": "K", "rules": {"cap": 60}},
    ]

    code, out, err = ask("score", "--jsonl", lines=lines)

    answers = [json.loads(line) for line in out.splitlines()]
    assert (code, err) == (0, "")
    assert [answer.get("error", answer.get("points")) for answer in answers] == [
        2,
        "bad_json",
        "impossible_hand",
        "bad_json",
        "unknown_field",
        "unknown_profile",
        "missing_field",
        "unknown_field",
        "bad_field",
        60,
    ]
    assert all(answer["message"] for answer in answers if "error" in answer)


def test_a_mark_before_the_first_line_of_a_batch_means_nothing(ask: Any) -> None:
    line = json.dumps({"hand": WORKED, "wild": "K"})

    _, out, _ = ask("score", "--jsonl", lines=[f"\ufeff{line}\r", f"\ufeff{line}"])

    assert ["error" in json.loads(answer) for answer in out.splitlines()] == [False, True]


def test_options_beside_a_batch_are_defaults_of_its_lines(ask: Any) -> None:
    line = {"hand": "2C 2D 2H 5C 5D 5H 8C 8D 8H TS 6D 7S QS"}

    _, out, _ = ask(
        "score", "--jsonl", "--wild", "K", "--set", "cap=50", lines=[line, {**line, "rules": {}}]
    )

    assert [json.loads(answer)["points"] for answer in out.splitlines()] == [50, 78]


def test_a_repeated_field_is_refused(ask: Any) -> None:
    _, out, _ = ask("score", "--jsonl", lines=['{"wild": "7", "wild": "8"}'])
    code, _, err = ask("score", WORKED, "--wild", "7", "--set", "cap=50", "--set", "cap=60")

    assert json.loads(out)["error"] == "repeated_field"
    assert (code, err.split(":")[0]) == (1, "repeated_field")


def test_a_refusal_repeats_only_the_ends_of_what_has_no_end(ask: Any) -> None:
    _, out, _ = ask("score", "--jsonl", lines=[json.dumps({"hand": "X" * 10**6, "wild": "7"})])

    refused = json.loads(out)
    assert refused["error"] == "bad_card"
    assert len(refused["message"]) < 1_000
    assert refused["message"].endswith("is not a card; a card reads 7H, TD or PJ")
