"""`python -m rummy`: answers, refusals and batches, never a traceback."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import rummy
from rummy import parse_position
from rummy.answers import ANSWERS
from rummy.cli import main
from rummy.errors import RummyError
from rummy.thirteen import outcome

HAND = "5H 6H 7H 9C TC JC PJ 4D 4S 4H KD QD 2C"
ZERO_SEED = "00" * 32


@pytest.fixture
def ask(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Any:
    """Run the command line in this process: exit code, output, errors."""

    def run(*words: str, lines: list[Any] | None = None) -> tuple[int, str, str]:
        if lines is not None:
            text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
            monkeypatch.setattr(sys, "stdin", io.StringIO(text))
        code = main(words)
        out, err = capsys.readouterr()
        return code, out, err

    return run


def test_score_answers_in_words_and_in_json(ask: Any) -> None:
    code, said, _ = ask("score", HAND, "--wild", "K", "--profile", "total-rummy-pool-101")
    _, printed, _ = ask("score", HAND, "--wild", "KH", "--json")

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


def test_a_batch_answers_line_by_line_and_outlives_bad_lines(ask: Any) -> None:
    lines = [
        {"hand": HAND, "wild": "K", "profile": "total-rummy-pool-101"},
        "not json",
        {"hand": "7H 7H 7H", "wild": "K"},
        [],
        {"hand": HAND, "wild": "K", "rules": {"caps": 1}},
        {"hand": HAND, "wild": "K", "profile": "nobody"},
        {"hand": HAND},
        {"hand": HAND, "wild": "K", "colour": 1},
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


def test_fourteen_cards_say_which_card_finishes(ask: Any) -> None:
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


@pytest.mark.parametrize(
    "words",
    [
        ("score", "5H 6X", "--wild", "K"),
        ("score", HAND, "--wild", "Z"),
        ("score",),
        ("verify", "/nowhere/at/all"),
        ("deal", "--seed", "xyz"),
        ("deal", "--seed", "00"),
        ("deal", "--players", "9"),
        ("deal", "--profile", "nobody"),
        ("split", "--scores", "5", "--started", "1", "--entries", "1", "--entry", "1"),
        ("split", "--scores", "5,x", "--started", "1", "--entries", "1", "--entry", "1"),
        ("split", "--scores", "5", "--started", "1", "--entries", "1", "--entry", "-1"),
        ("rejoin", "--scores", "5,5", "--started", "9" * 400),
        ("deal", "--seed", ""),
        ("deal", "--seed", " ".join(["00"] * 32)),
        ("deal", "--client-seed", "x" * 1_001),
        ("deal", "--client-seed", "a", "--client-seed", "b", "--client-seed", "c"),
        ("verify",),
        ("replay", "/"),
        ("payout", "--entries", "1"),
    ],
)
def test_refusals_are_one_sentence_and_exit_one(ask: Any, words: tuple[str, ...]) -> None:
    code, out, err = ask(*words)
    as_json, refused, _ = ask(*words, "--json")

    assert (code, out) == (1, "")
    assert err.count("\n") == 1
    assert as_json == 1
    assert set(json.loads(refused)) == {"error", "message"}


def as_program(*words: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Run the command line in a process of its own that sees the standard library alone."""
    return subprocess.run(
        [sys.executable, "-S", "-m", "rummy", *words],
        input=stdin,
        capture_output=True,
        check=False,
        cwd=Path(rummy.__file__).parents[1],
    )


def test_the_module_runs_as_a_program_with_the_standard_library_alone(tmp_path: Path) -> None:
    dealt = as_program("deal", "--seed", ZERO_SEED)
    (tmp_path / "deal.txt").write_bytes(dealt.stdout)

    verified = as_program("verify", str(tmp_path / "deal.txt"), "--json")
    piped = as_program("verify", "-", "--json", stdin=dealt.stdout)

    assert json.loads(verified.stdout)["verified"] is True
    assert piped.stdout == verified.stdout


def test_an_output_that_takes_nothing_is_said_in_a_sentence() -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "rummy", "score", HAND, "--wild", "K"],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
            cwd=Path(rummy.__file__).parents[1],
        )

    assert (done.returncode, done.stderr.count(b"\n")) == (1, 1)


def test_a_closed_output_is_said_in_a_sentence() -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", 'exec "$0" -m rummy payout --entries 1 --entry 1 >&-', sys.executable],
        stderr=subprocess.PIPE,
        check=False,
        cwd=Path(rummy.__file__).parents[1],
    )

    assert (done.returncode, done.stderr) == (1, b"no_output: standard output is closed\n")


def test_a_mark_before_the_first_line_of_a_batch_means_nothing(ask: Any) -> None:
    line = json.dumps({"hand": HAND, "wild": "K"})

    _, out, _ = ask("score", "--jsonl", lines=[f"\ufeff{line}\r", f"\ufeff{line}"])

    assert ["error" in json.loads(answer) for answer in out.splitlines()] == [False, True]


def test_standard_input_is_not_both_the_file_and_the_lines(ask: Any) -> None:
    code, out, err = ask("verify", "-", "--jsonl", lines=["rummy deal 1"])

    assert (code, out) == (1, "")
    assert err.startswith("bad_field: ")


def test_bytes_that_are_no_text_are_one_bad_line() -> None:
    good = json.dumps({"hand": HAND, "wild": "K"}).encode()

    done = as_program("score", "--jsonl", stdin=b'\xff\xfe\n{"hand": "\xff"}\n' + good)

    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [answer.get("error", "fine") for answer in answers] == [
        "bad_json",
        "missing_field",
        "fine",
    ]
    assert (done.returncode, done.stderr) == (0, b"")


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
        "bad_toss",
    ]
    file = tmp_path / "deal.txt"
    file.write_text(dealt[1]["history"])
    told = [dealt[0], {"file": str(file)}, {}, {"file": "\0"}, {"history": "x", "file": "x"}]
    _, verified, _ = ask("verify", "--jsonl", lines=told)
    _, replayed, _ = ask("replay", "--jsonl", lines=told[:1])
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


def test_options_beside_a_batch_hold_where_a_line_says_nothing_else(ask: Any) -> None:
    line = {"hand": "2C 2D 2H 5C 5D 5H 8C 8D 8H TS 6D 7S QS"}

    _, out, _ = ask(
        "score", "--jsonl", "--wild", "K", "--set", "cap=50", lines=[line, {**line, "rules": {}}]
    )

    assert [json.loads(answer)["points"] for answer in out.splitlines()] == [50, 78]


def test_what_is_said_twice_is_refused(ask: Any) -> None:
    _, out, _ = ask("score", "--jsonl", lines=['{"wild": "7", "wild": "8"}'])
    code, _, err = ask("score", HAND, "--wild", "7", "--set", "cap=50", "--set", "cap=60")

    assert json.loads(out)["error"] == "repeated_field"
    assert (code, err.split(":")[0]) == (1, "repeated_field")


def test_a_refusal_repeats_only_the_ends_of_what_has_no_end(ask: Any) -> None:
    _, out, _ = ask("score", "--jsonl", lines=[json.dumps({"hand": "X" * 10**6, "wild": "7"})])

    refused = json.loads(out)
    assert refused["error"] == "bad_card"
    assert len(refused["message"]) < 1_000
    assert refused["message"].endswith("is not a card; a card reads 7H, TD or PJ")


def test_a_question_without_a_file_is_told_so(ask: Any) -> None:
    assert ask("verify")[2] == "missing_field: the field 'file' is missing\n"


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
