"""`simulate --attached` plays on a database in use, as often as it is called."""

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from devtools.management.commands.simulate import profile_without_waiting
from devtools.simulation import tables as simulation
from rummy import PROFILES
from tables.games import game_of
from tests.builders.processes.product import CHECKOUT, PUBLIC_TEMP, RunningDemo, environment
from tests.builders.wallet.players import balances, make_escrow
from wallet.bonuses import play_points
from wallet.ledger import accounts
from wallet.stakes import stakes

POOL = PROFILES["total-rummy-pool-101"]


@pytest.mark.django_db
def test_tables_and_a_tournament_of_the_same_rules_are_both_played():
    gap = int(game_of(POOL).figures(POOL).split)

    first = [profile_without_waiting(POOL, gap_seconds=gap), profile_without_waiting(POOL)]
    again = [profile_without_waiting(POOL, gap_seconds=gap), profile_without_waiting(POOL)]

    assert again == first
    assert len({profile.pk for profile in first}) == 2
    assert {profile.version for profile in first} == {1, 2}


@pytest.mark.django_db
def test_bots_whose_points_another_table_takes_meanwhile_are_filled_up_again(monkeypatch):
    """Bots of a database in use play elsewhere: they pay there after their points were counted."""
    plain, spent = play_points.ensure_points, Counter()

    def counted_then_spent(*, player, at_least):
        plain(player=player, at_least=at_least)
        spent[player.pk] += 1
        if spent[player.pk] <= 2:  # When it is chosen, and when it sits down for the first time.
            stakes.take_stake(
                player=player,
                escrow=make_escrow(currency="PTS"),
                entry=at_least,
                rake_bps=0,
                key=f"elsewhere:{player.pk}:{spent[player.pk]}",
            )

    monkeypatch.setattr(play_points, "ensure_points", counted_then_spent)

    table = simulation.open_bot_game(
        profile=profile_without_waiting(POOL), name="Used", players=2, entry_minor=100_00
    )

    assert sorted(spent.values()) == [3, 3]
    assert table.seats.present().count() == 2
    assert table.phase != "waiting"
    for seat in table.seats.select_related("player"):
        mine = accounts.open_player_accounts(player=seat.player, currency="PTS")
        assert balances(mine["deposit"], mine["winnings"]) == [0, 0]


@pytest.mark.django_db
def test_without_running_workers_it_is_refused_with_what_to_do():
    with pytest.raises(CommandError, match="No worker answers"):
        call_command("simulate", "--attached", "--variant", "points")


@pytest.mark.soak
@pytest.mark.process
@pytest.mark.timeout(900)
def test_two_runs_in_a_row_play_on_a_running_demo():
    with tempfile.TemporaryDirectory(prefix="rummy-demo-", dir=PUBLIC_TEMP) as directory:
        demo = RunningDemo(Path(directory))
        try:
            servers = json.loads((Path(directory) / "servers.json").read_text())
            reports = [
                simulate(servers, "--variant", "points", "--deals", "1", "--players", "2")
                for _ in range(2)
            ]
        finally:
            demo.stop()

    assert [report["ok"] for report in reports] == [True, True]


def simulate(servers, *chosen):
    done = subprocess.run(
        [sys.executable, "manage.py", "simulate", "--attached", "--json", *chosen],
        cwd=CHECKOUT,
        env=environment(**servers) | {"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        timeout=400,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.strip().splitlines()[-1])
