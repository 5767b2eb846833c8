"""`simulate` plays with its own workers, or with those of a running installation."""

import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from devtools.management.commands.simulate import profile_without_waiting, weeks_of
from devtools.simulation import tables as simulation
from rummy import PROFILES
from tables.games import game_of
from tests.builders.processes.product import CHECKOUT, PUBLIC_TEMP, RunningDemo, environment
from tests.builders.wallet.players import balances, make_escrow
from wallet.bonuses import play_points
from wallet.ledger import accounts
from wallet.stakes import stakes

POOL = PROFILES["total-rummy-pool-101"]
TOURNAMENTS = [("knockout-101", 53), ("rejoin-101", 20), ("heads-up", 9), ("knockout-61", 1000)]


@pytest.mark.django_db
def test_rules_with_and_without_a_gap_are_stored_as_two_versions_once():
    gap = int(game_of(POOL).figures(POOL).split)

    first = [profile_without_waiting(POOL, gap_seconds=gap), profile_without_waiting(POOL)]
    again = [profile_without_waiting(POOL, gap_seconds=gap), profile_without_waiting(POOL)]

    assert again == first
    assert len({profile.pk for profile in first}) == 2
    assert {profile.version for profile in first} == {1, 2}


@pytest.mark.django_db
def test_bots_get_points_again_if_another_table_has_used_them(monkeypatch):
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
def test_attached_simulation_without_running_workers_is_refused():
    with pytest.raises(CommandError, match="No worker answers"):
        call_command("simulate", "--attached", "--variant", "points")


@pytest.mark.soak
@pytest.mark.process
@pytest.mark.timeout(900)
def test_two_attached_simulations_in_a_row_play_on_a_running_demo():
    options = ("--attached", "--variant", "points", "--deals", "1", "--players", "2")
    with tempfile.TemporaryDirectory(prefix="rummy-demo-", dir=PUBLIC_TEMP) as directory:
        demo = RunningDemo(Path(directory))
        try:
            servers = json.loads((Path(directory) / "servers.json").read_text())
            reports = [simulate(*options, seconds=400, **servers) for _ in range(2)]
        finally:
            demo.stop()

    assert [report["ok"] for report in reports] == [True, True]


@pytest.mark.soak
@pytest.mark.parametrize(("tournament", "entrants"), TOURNAMENTS)
def test_a_tournament_of_bots_is_played_to_its_end(tournament, entrants):
    options = ("--tournament", tournament, "--entrants", str(entrants), "--seed", "7")

    report = simulate(*options, seconds=3_000, RUMMY_EPHEMERAL="1")

    assert report["ok"], report["checks"]
    in_round_one = report["rounds"][0]["entrants"]
    assert report["entrants"] == in_round_one == entrants
    if entrants == 1_000:
        assert [each["entrants"] for each in report["rounds"]] == [1000, 334, 112, 38, 14, 6]


@pytest.mark.parametrize(("text", "weeks"), [("1week", 1), ("8weeks", 8), ("52", 52)])
def test_weeks_of_a_season_are_read(text, weeks):
    assert weeks_of(text) == weeks


@pytest.mark.parametrize("text", ["0weeks", "53weeks", "eight", "-1"])
def test_seasons_of_no_week_or_more_than_a_year_are_refused(text):
    with pytest.raises(ValueError, match=text):
        weeks_of(text)


@pytest.mark.extended
@pytest.mark.process
@pytest.mark.timeout(1_800)
def test_the_same_seed_gives_the_same_seasons():
    options = ("--season", "1week", "--players", "24", "--seed", "1")

    first, again = (simulate(*options, seconds=800, RUMMY_EPHEMERAL="1") for _ in range(2))

    assert first["ok"], (first["checks"], first["findings"])
    assert again | {"seconds": 0} == first | {"seconds": 0}
    assert first["tournaments"] == 7
    assert first["history_files"] > 0


def simulate(*options, seconds, **variables):
    done = subprocess.run(
        [sys.executable, "manage.py", "simulate", "--json", *options, "--timeout", str(seconds)],
        cwd=CHECKOUT,
        env=environment(**variables),
        capture_output=True,
        text=True,
        timeout=seconds + 120,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:] + done.stdout[-4000:]
    return json.loads(done.stdout.strip().splitlines()[-1])
