"""Simulated days of an installation whose network fails; a seed replays all of it."""

import json
import os
import subprocess
import sys
from random import Random
from types import SimpleNamespace

import pytest
from celery import current_app
from django.utils import timezone

from devtools.sample_data.cashier import Cashier
from tests.builders.processes.product import CHECKOUT, environment
from tests.builders.wallet.players import make_player
from tests.builders.wallet.tax_office import make_winner
from tests.simulation.network import AUDITS, ConnectionLost, Message, Network
from wallet.audit import seals
from wallet.audit.models import WithdrawalFreeze


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
    first, again = report_of("--seed", 1, "--days", 3), report_of("--seed", 1, "--days", 3)

    assert again | {"seconds": 0} == first | {"seconds": 0}
    counts = ("games", "moves", "deposits", "withdrawals", "transfers")
    assert min(first[name] for name in counts) > 0


@pytest.mark.soak
@pytest.mark.process
@pytest.mark.timeout(1_800)
def test_installation_lives_for_ten_minutes_with_a_new_seed():
    seed = os.environ.get("SIMULATION_SEED", str(Random().randrange(10**9)))
    seconds = os.environ.get("SIMULATION_SECONDS", "600")

    report = report_of("--seed", seed, "--days", 365, "--seconds", seconds)

    assert report["days"] > 1


@pytest.mark.django_db
def test_refused_withdrawals_are_counted_by_code():
    player = make_winner(winnings=1_000)
    poor = make_player()
    names = {player.pk: "Asha Rao", poor.pk: "Ravi Rao"}
    cashier = Cashier(SimpleNamespace(agree=lambda: None), SimpleNamespace(legal_names=names), None)
    WithdrawalFreeze.objects.create(reason="A test", findings="seal_lag: transfer 1")

    assert [cashier.ask_for(one, 0.5) for one in (player, poor)] == [None, None]

    assert cashier.refused == {"withdrawals_frozen": 1, "less_than_50": 1}


def test_ledger_is_sealed_before_each_audit(network, monkeypatch):
    monkeypatch.setattr(seals, "seal_ledger", lambda: network.ran.append("seal"))
    for task in AUDITS:
        monkeypatch.setitem(
            current_app.tasks, task, SimpleNamespace(run=lambda: network.ran.append("audit"))
        )
        network._run(Message(task, (), None))

    assert network.ran == ["seal", "audit"] * len(AUDITS)


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
