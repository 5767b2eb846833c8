"""Pools are played to their ends while processes are killed."""

import json
import os
import subprocess
import sys

import pytest

from tests.builders.processes.product import CHECKOUT, environment
from tests.trials.nodes.multinode import missing_programs

MISSING = missing_programs(by_hand=True)
EVENTS = ("kill -9: web 1", "Valkey's master lost", "primary lost")
SMALL_REHEARSAL = ["--small", "--by-hand", "--people", "10", "--think", "1", "--calm", "2"]

pytestmark = [pytest.mark.process]


def report_of(*options, **variables):
    ran = subprocess.run(
        [sys.executable, "-m", "tests.trials", *options],
        cwd=CHECKOUT,
        env=environment(**variables),
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    sys.stdout.write(ran.stdout)
    report = json.loads(ran.stdout.splitlines()[-1])
    assert report["findings"] == []
    assert ran.returncode == 0
    assert report["acknowledged_moves"] > 0
    return report


@pytest.mark.soak
@pytest.mark.timeout(7_200)
def test_all_pools_end_consistently_while_every_process_is_killed():
    pools = os.environ.get("SOAK_POOLS", "200")
    seconds = os.environ.get("SOAK_SECONDS", "600")
    every = os.environ.get("SOAK_KILL_EVERY", "10")

    report = report_of("soak", "--pools", pools, "--seconds", seconds, "--every", every)

    assert report["finished"] + report["cancelled"] == int(pools)
    assert sum(report["kills"].values()) > 0


@pytest.mark.extended
@pytest.mark.timeout(600)
@pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}")
def test_an_installation_recovers_from_the_loss_of_a_process_its_valkey_and_its_primary():
    only = [word for event in EVENTS for word in ("--only", event)]

    report = report_of("rehearsal", *SMALL_REHEARSAL, *only, BOT_THINK_SECONDS="0.2")

    assert report["kills"] == {"web 1": 1, "primary": 1, "valkey": 1}
    assert report["ok"]
