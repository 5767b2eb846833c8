"""Simulated days of an installation whose network fails; a seed replays all of it."""

import json
import os
import subprocess
import sys
from random import Random

import pytest
from celery import current_app
from django.utils import timezone

from tests.builders.processes.product import CHECKOUT, environment
from tests.simulation.network import ConnectionLost, Message, Network


def report_of(*options):
    ran = subprocess.run(
        [sys.executable, "-m", "tests.simulation", *map(str, options)],
        cwd=CHECKOUT,
        env=environment(RUMMY_EPHEMERAL="1"),
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    sys.stdout.write(ran.stdout)
    report = json.loads(ran.stdout.splitlines()[-1])
    assert (report["findings"], ran.returncode) == ([], 0)
    return report


@pytest.mark.extended
@pytest.mark.process
@pytest.mark.timeout(600)
def test_the_same_seed_gives_the_same_events():
    first, again = report_of("--seed", 1, "--days", 1), report_of("--seed", 1, "--days", 1)

    assert again | {"seconds": 0} == first | {"seconds": 0}
    assert min(first["games"], first["moves"], first["deposits"], first["transfers"]) > 0


@pytest.mark.soak
@pytest.mark.process
@pytest.mark.timeout(1_800)
def test_installation_lives_for_ten_minutes_with_a_new_seed():
    seed = os.environ.get("SIMULATION_SEED", str(Random().randrange(10**9)))
    seconds = os.environ.get("SIMULATION_SECONDS", "600")

    report = report_of("--seed", seed, "--days", 365, "--seconds", seconds)

    assert report["days"] > 1


@pytest.fixture
def network(monkeypatch):
    ran = []
    network = Network(Random(3))
    network._clock = type("Clock", (), {"now": timezone.now()})
    task = type("Task", (), {"run": staticmethod(lambda *arguments: ran.append(arguments))})
    monkeypatch.setitem(current_app.tasks, "tables.settle_table", task)
    network.ran = ran
    return network


def delivered(network, seed):
    """Return the numbers of 300 messages as they arrive."""
    network.chance, network.ran[:] = Random(seed), []
    network.messages = [Message("tables.settle_table", (no,), None) for no in range(300)]
    while network.messages:
        network._deliver()
    return [no for (no,) in network.ran]


def test_message_is_delivered_late_twice_or_never_as_the_seed_chooses(network):
    first, other = delivered(network, 3), delivered(network, 4)

    assert first != sorted(first)
    assert len(first) > len(set(first)) < 300
    assert network.counts["messages lost"] > 0
    assert other != first
    assert delivered(network, 3) == first


@pytest.mark.parametrize("ends", ["before", "after"])
def test_request_whose_connection_ends_is_repeated(network, ends):
    commits, network.chance = [], Random(1)
    network._commit = lambda: commits.append(ends)
    network._happens = lambda probability: probability != 0.5 or ends == "before"

    def request():
        network._commit_or_end()
        return "done"

    assert network._repeated("leave", request)() == "done"
    assert len(commits) == (1 if ends == "before" else 2)
    network._ends_at_commit = ends
    with pytest.raises(ConnectionLost):
        network._commit_or_end()
