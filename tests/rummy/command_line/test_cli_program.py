"""`python -m rummy` in a separate process: imports, closed and full outputs, bytes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import rummy
from tests.builders.cards.dealing import ZERO_SEED
from tests.builders.cards.hands import WORKED


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
