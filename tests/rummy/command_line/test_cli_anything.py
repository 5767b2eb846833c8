"""`python -m rummy` with any input gives an answer or a refusal, never a traceback."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rummy
from rummy.command_line.answers import ANSWERS, refusal
from rummy.command_line.cli import _ASKED, main
from rummy.errors import RummyError
from tests.builders.cards.dealing import ZERO_SEED
from tests.builders.cards.hands import WORKED

anything = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 10**6) | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)
FIELDS = sorted({*chain.from_iterable(_ASKED.values()), "rules", "history"})
assert len(FIELDS) > 15
fields = st.sampled_from(FIELDS)


def answer_or_refuse(command: str, query: dict[str, Any]) -> None:
    query = {"wild": "7", "rake_bps": 0, **query}
    if command == "deal":
        query["seed"] = query.get("seed", "")  # Whole deals take their time.
    try:
        answer = ANSWERS[command](query)
    except RummyError as error:
        answer = refusal(error)
    assert json.dumps(answer)


def run_quietly(words: list[str], stdin: str = "") -> tuple[int, str, str]:
    """Run the command line; a wrong option ends with 2, as argparse has it."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err), pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", io.StringIO(stdin))
        try:
            code = main(words)
        except SystemExit as stopped:
            code = int(str(stopped.code))
    return code, out.getvalue(), err.getvalue()


commands = st.sampled_from(sorted(set(ANSWERS) - {"deal"}))
flags = st.sampled_from(["--json", "--set", *(f"--{name.replace('_', '-')}" for name in FIELDS)])


def answer_words(command: str, words: list[str]) -> None:
    code, out, err = run_quietly([command, *words])

    assert code in {0, 1, 2}
    assert bool(out or err)


def answer_each_line(command: str, lines: list[str]) -> None:
    asked = [line for line in "\n".join(lines).split("\n") if line.strip()]

    code, out, err = run_quietly([command, "--jsonl"], "\n".join(lines))

    assert (code, err) == (0, "")
    assert len(out.splitlines()) == len(asked)
    assert all("error" in json.loads(line) for line in out.splitlines())


ASKED = {
    "any question": (
        answer_or_refuse,
        (st.sampled_from(sorted(ANSWERS)), st.dictionaries(fields, anything, max_size=6)),
    ),
    "any words": (
        answer_words,
        (commands, st.lists(flags | st.text(max_size=12), max_size=6)),
    ),
    "any line of a batch": (
        answer_each_line,
        (commands, st.lists(st.text(max_size=60), max_size=5)),
    ),
}


@pytest.mark.extended
@pytest.mark.parametrize("name", ASKED)
@pytest.mark.parametrize("examples", [60, pytest.param(1_000, marks=pytest.mark.soak)])
def test_whatever_is_asked_is_answered_or_refused_without_a_traceback(
    name: str, examples: int
) -> None:
    promise, given_to_it = ASKED[name]
    many = settings(max_examples=examples, deadline=None)

    many(given(*given_to_it)(promise))()


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


def test_a_full_output_is_reported_in_one_line() -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "rummy", "score", WORKED, "--wild", "K"],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
            cwd=Path(rummy.__file__).parents[1],
        )

    assert (done.returncode, done.stderr.count(b"\n")) == (1, 1)


def test_a_closed_output_is_reported_in_one_line() -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", 'exec "$0" -m rummy payout --entries 1 --entry 1 >&-', sys.executable],
        stderr=subprocess.PIPE,
        check=False,
        cwd=Path(rummy.__file__).parents[1],
    )

    assert (done.returncode, done.stderr) == (1, b"no_output: standard output is closed\n")


def test_invalid_utf_8_gives_one_bad_line() -> None:
    good = json.dumps({"hand": WORKED, "wild": "K"}).encode()

    done = as_program("score", "--jsonl", stdin=b'\xff\xfe\n{"hand": "\xff"}\n' + good)

    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [answer.get("error", "fine") for answer in answers] == [
        "bad_json",
        "missing_field",
        "fine",
    ]
    assert (done.returncode, done.stderr) == (0, b"")
