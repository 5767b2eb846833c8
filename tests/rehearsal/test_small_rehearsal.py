"""A small rehearsal: few people, a third of the processes, a replica that is promoted by hand."""

import json
import subprocess
import sys

import pytest

from tests.builders.processes.product import CHECKOUT, environment
from tests.rehearsal.site import missing_programs

MISSING = missing_programs(by_hand=True)
EVENTS = ("kill -9: web 1", "Valkey's master lost", "primary lost")

pytestmark = [
    pytest.mark.extended,
    pytest.mark.process,
    pytest.mark.timeout(600),
    pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}"),
]


def test_a_house_loses_a_process_its_valkey_and_its_primary_and_nothing_else():
    size = ["--small", "--by-hand", "--people", "10", "--think", "1", "--calm", "2"]
    only = [word for event in EVENTS for word in ("--only", event)]

    ran = subprocess.run(
        [sys.executable, "-m", "tests.rehearsal", *size, *only],
        cwd=CHECKOUT,
        env=environment(BOT_THINK_SECONDS="0.2"),
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )

    sys.stdout.write(ran.stdout)
    report = json.loads(ran.stdout.splitlines()[-1])
    assert report["findings"] == []
    assert report["kills"] == {"web 1": 1, "primary": 1, "valkey": 1}
    assert report["acknowledged_moves"] > 0
    assert report["escrow_left_anywhere"] == 0
    assert report["ok"]
    assert ran.returncode == 0
