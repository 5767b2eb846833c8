"""`python -m rummy deal|replay|verify`: whole deals and their files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from rummy import parse_position
from rummy.thirteen import outcome
from tests.builders.cards.dealing import ZERO_SEED


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
    code, out, err = ask("verify", "-", "--jsonl", lines=["rummy deal 1"])

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
    head, _, rest = dealt.partition("[moves]\n")
    file = tmp_path / "deal.txt"
    file.write_text(f"{head}[moves]\n{rest.splitlines()[0]}\n[result]\n")

    code, _, err = ask("verify", str(file))

    assert (code, err.split(":")[0]) == (1, "unfinished_deal")
