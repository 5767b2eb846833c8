"""`python -m rummy ... --jsonl`: one request and one answer per line."""

from __future__ import annotations

import json
from typing import Any

from tests.builders.cards.hands import WORKED


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
