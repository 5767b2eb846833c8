"""The command that plays whole tournaments with workers of its own; by hand or in the soak run."""

import json
import subprocess
import sys

import pytest

from tests.builders.processes.throwaway import throwaway_servers

pytestmark = pytest.mark.soak


def simulate(tournament, entrants, *, seconds):
    done = subprocess.run(
        [
            sys.executable,
            "manage.py",
            "simulate",
            "--json",
            "--seed",
            "7",
            "--tournament",
            tournament,
            "--entrants",
            str(entrants),
            "--timeout",
            str(seconds),
        ],
        capture_output=True,
        text=True,
        check=False,
        timeout=seconds + 120,
        env=throwaway_servers(),
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("tournament", "entrants"), [("knockout-101", 53), ("rejoin-101", 20), ("heads-up", 9)]
)
def test_a_field_of_bots(tournament, entrants):
    report = simulate(tournament, entrants, seconds=900)

    assert report["ok"], report["checks"]
    assert report["entrants"] == entrants


def test_a_thousand_entrants():
    report = simulate("knockout-61", 1000, seconds=3000)

    assert report["ok"], report["checks"]
    assert [each["entrants"] for each in report["rounds"]] == [1000, 334, 112, 38, 14, 6]
