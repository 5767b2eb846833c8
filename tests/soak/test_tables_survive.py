"""Hundreds of pools are played to their ends while whatever plays them is killed by -9."""

import json
import os
import subprocess
import sys

import pytest

from tests.builders.processes.product import CHECKOUT, environment

pytestmark = [pytest.mark.soak, pytest.mark.process, pytest.mark.timeout(7_200)]


def test_pools_survive_the_death_of_every_process():
    pools = os.environ.get("SOAK_POOLS", "200")
    seconds = os.environ.get("SOAK_SECONDS", "600")
    every = os.environ.get("SOAK_KILL_EVERY", "10")

    ran = subprocess.run(
        [
            sys.executable,
            "-m",
            "tests.soak",
            "--pools",
            pools,
            "--seconds",
            seconds,
            "--every",
            every,
        ],
        cwd=CHECKOUT,
        env=environment(),
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )

    sys.stdout.write(ran.stdout)
    report = json.loads(ran.stdout.splitlines()[-1])
    assert report["findings"] == []
    assert ran.returncode == 0
    assert report["finished"] + report["cancelled"] == int(pools)
    assert sum(report["kills"].values()) > 0
