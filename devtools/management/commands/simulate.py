"""Let bots play whole games in the workers, with services and ledger as in real games."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import tempfile
import time
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError
from django.test.utils import override_settings

from config import celery
from devtools import stack
from devtools.children import stop_children
from devtools.schema import mark_demo, migrate_as_owner
from devtools.simulation import tables as simulation
from devtools.simulation import tournaments as tournament_simulation
from rummy import AnyRules
from tables.games import PROFILES, game_of
from tables.history.fairness import seeds
from tables.lobby.table_templates import profiles
from tables.models.tables import Table
from tables.models.templates import RuleProfile
from wallet.ledger.models import Transfer

HEADS_UP: Final = {"seats": 2, "qualify": 1, "final_seats": 2}
TOURNAMENTS: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "knockout-61": ("total-rummy-pool-61", {}),
    "knockout-101": ("total-rummy-pool-101", {}),
    "knockout-201": ("total-rummy-pool-201", {}),
    "rejoin-101": ("total-rummy-pool-101", {"rejoins": True, "guarantee_minor": 6_000_00}),
    "reentry-61": ("total-rummy-pool-61", {"reentries_max": 1}),
    "reentry-heads-up": ("total-rummy-pool-61", {"reentries_max": 1, **HEADS_UP}),
    "add-on": (
        "total-rummy-best-of-2",
        {"addon_minor": 40_00, "addon_chips": 80, "addon_minutes": 1, **HEADS_UP},
    ),
    "shootout-101": ("total-rummy-pool-101", {"kind": "shootout", "qualify": 1}),
    "balanced-101": ("total-rummy-pool-101", {"kind": "balanced"}),
    "race-101": ("total-rummy-pool-101", {"kind": "race", "round_minutes": 1}),
    "freeroll-101": ("total-rummy-pool-101", {"entry_minor": 0, "guarantee_minor": 1_000_00}),
    "straight": ("straight", {"seats": 4, "qualify": 1, "final_seats": 4}),
    "heads-up": ("total-rummy-best-of-2", HEADS_UP),
}
VARIANTS = {name.removeprefix("total-rummy-"): name for name in PROFILES}
PRICES_MINOR: Final = {"entry": 100_00, "point_value": 1_00}
RAKE_BPS: Final = 1_000
LEAST_OF_A_SEASON: Final = 12
# No pauses for people, and windows only as long as a busy worker may need.
NO_WAITING = {
    "gap_seconds": 0,
    "toss_seconds": 0,
    "start_seconds": 0,
    "turn_seconds": 15,
    "extra_seconds": 15,
    "meld_seconds": 10,
}


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--variant", choices=sorted(VARIANTS), default="pool-101")
        parser.add_argument("--tournament", choices=sorted(TOURNAMENTS), help="instead of tables")
        parser.add_argument("--season", type=weeks_of, help="such as 8weeks; --players take part")
        parser.add_argument("--entrants", type=int, default=53, help="of the tournament")
        parser.add_argument("--tables", type=int, default=1)
        parser.add_argument("--players", type=int, help="default: all seats")
        parser.add_argument(
            "--deals",
            type=int,
            default=20,
            help="points tables: all players leave after this many deals",
        )
        parser.add_argument("--seed", default="", help="the same seed deals the same cards again")
        parser.add_argument("--json", action="store_true", help="print one JSON line")
        parser.add_argument("--timeout", type=float, default=600.0, help="timeout in seconds")
        parser.add_argument("--attached", action="store_true", help="use the running workers")

    def handle(self, *args: Any, **options: Any) -> None:
        play = self._play_season if options["season"] else self._play_contests
        report = play(options)
        self._print(report, as_json=options["json"])
        if not report["ok"]:
            raise SystemExit(1)

    def _play_season(self, options: dict[str, Any]) -> dict[str, Any]:
        """Play seasons in virtual time; this process does the work of the workers."""
        from devtools.simulation.seasons import simulate_seasons

        if options["attached"]:
            raise CommandError("A season is played in virtual time: leave out --attached.")
        migrate_as_owner()
        mark_demo()
        if Transfer.objects.exists():
            raise CommandError("The database has transfers; a season needs an empty one.")
        # Tasks sent to the broker are dropped.
        celery.app.conf.update(broker_url="memory://")
        logging.disable(logging.INFO)  # A line for each transfer would hide the progress.
        return simulate_seasons(
            weeks=options["season"],
            players=max(options["players"] or LEAST_OF_A_SEASON, LEAST_OF_A_SEASON),
            seed=options["seed"],
            progress=self.stderr.write,
        )

    def _play_contests(self, options: dict[str, Any]) -> dict[str, Any]:
        """Play tables or a tournament with workers."""
        rules = PROFILES[VARIANTS[options["variant"]]]
        options["players"] = options["players"] or rules.players_max
        play = self._play
        if options["tournament"]:
            rules = PROFILES[TOURNAMENTS[options["tournament"]][0]]
            play = self._play_tournament
        if options["entrants"] < 2:
            raise CommandError("A tournament needs at least two entrants.")
        if not rules.players_min <= options["players"] <= rules.players_max:
            raise CommandError(f"{options['variant']} seats 2 to {rules.players_max} players.")
        if options["deals"] < 1:
            raise CommandError("--deals must be at least 1.")
        if options["tables"] < 1:
            raise CommandError("--tables must be at least 1.")
        if options["attached"] and options["seed"]:
            raise CommandError("Running workers draw their own seeds: leave out --seed.")
        if options["attached"]:
            refuse_missing_workers()
            return play(rules, options)
        migrate_as_owner()
        self._refuse_database_in_use()
        quick = override_settings(SIMULATION_SEED=options["seed"], BOT_THINK_SECONDS=0.0)
        with quick, own_workers(options["seed"]) as workers:
            return play(rules, options, workers)

    def _refuse_database_in_use(self) -> None:
        """Raise `CommandError` if other tables are live, which the workers would play too."""
        if Table.objects.live().exclude(owner_ref=seeds.SIMULATION).exists():
            raise CommandError(
                "This database has other live tables: leave DATABASE_URL and REDIS_URL unset to "
                "play on throw-away servers, or use the running workers with --attached."
            )

    def _play(
        self,
        rules: AnyRules,
        options: dict[str, Any],
        workers: Sequence[subprocess.Popen[bytes]] = (),
    ) -> dict[str, Any]:
        # Bots can propose a split only between deals.
        game = game_of(rules)
        profile = profile_without_waiting(rules, gap_seconds=int(game.figures(rules).split))
        began = time.monotonic()
        tables = [
            simulation.open_bot_game(
                profile=profile,
                name=f"Simulation {number}",
                players=options["players"],
                rake_bps=RAKE_BPS,
                **game.price(rules, PRICES_MINOR[game.price_field])._asdict(),
            )
            for number in range(1, options["tables"] + 1)
        ]
        ours = Table.objects.filter(pk__in=[table.pk for table in tables])

        def is_over() -> bool:
            if not game.has_end:
                for table in ours.live().filter(deal_no__gt=options["deals"]):
                    simulation.send_home(table)
            return not ours.live().exists()

        self._wait(is_over, lambda: simulation.progress(ours), began + options["timeout"], workers)
        return simulation.report_on(tables, seconds=time.monotonic() - began, seed=options["seed"])

    def _play_tournament(
        self,
        rules: AnyRules,
        options: dict[str, Any],
        workers: Sequence[subprocess.Popen[bytes]] = (),
    ) -> dict[str, Any]:
        began = time.monotonic()
        price = {"entry_minor": PRICES_MINOR["entry"], "rake_bps": RAKE_BPS}
        terms = price | TOURNAMENTS[options["tournament"]][1]
        if terms.get("reentries_max"):  # Long enough for the first tables of round 1.
            terms["late_minutes"] = 2 + options["entrants"] // 50
        if terms.get("round_minutes"):  # A race, in which players change tables on any machine.
            terms["round_minutes"] += options["entrants"] // 100
        tournament = tournament_simulation.open_bot_tournament(
            profile=profile_without_waiting(rules), entrants=options["entrants"], **terms
        )

        def is_over() -> bool:
            tournament.refresh_from_db()
            tournament_simulation.pay_more(tournament)
            return tournament.is_over

        def progress() -> str:
            return tournament_simulation.progress(tournament)

        self._wait(is_over, progress, began + options["timeout"], workers)
        seconds = time.monotonic() - began
        return tournament_simulation.report_on(tournament, seconds=seconds, seed=options["seed"])

    def _wait(
        self,
        is_over: Callable[[], bool],
        progress: Callable[[], str],
        deadline: float,
        workers: Sequence[subprocess.Popen[bytes]],
    ) -> None:
        """Print the progress until all is over; raise `CommandError` if that cannot happen."""
        shown = 0.0
        while not is_over():
            if any(worker.poll() is not None for worker in workers):
                raise CommandError("A worker has ended; its log is above.")
            if time.monotonic() > deadline:
                raise CommandError("The games did not end before the timeout.")
            if time.monotonic() - shown > 2:
                shown = time.monotonic()
                self.stderr.write(progress())
            time.sleep(0.1)

    def _print(self, report: dict[str, Any], *, as_json: bool) -> None:
        if as_json:
            self.stdout.write(json.dumps(report))
            return
        for name, value in report.items():
            self.stdout.write(f"{name.replace('_', ' '):>18}  {value}")


def weeks_of(text: str) -> int:
    """Return the number of weeks of a text such as `8weeks`, from 1 to 52."""
    weeks = int(text.removesuffix("weeks").removesuffix("week"))
    if not 1 <= weeks <= 52:
        raise ValueError(text)
    return weeks


def without_waiting(rules: AnyRules, **changes: int) -> AnyRules:
    """Return the rules without pauses."""
    known = rules.to_dict()
    pauses = {name: seconds for name, seconds in NO_WAITING.items() if name in known}
    return rules.with_(name=f"{rules.name}-no-waiting", **pauses | changes)


def profile_without_waiting(rules: AnyRules, **changes: int) -> RuleProfile:
    """Store the rules without pauses, as a new version if the name exists with other rules."""
    return profiles.register_version(without_waiting(rules, **changes))


def refuse_missing_workers() -> None:
    if not celery.app.control.ping(timeout=2.0):
        raise CommandError(
            "No worker answers. Start the demo or the workers first, or leave out --attached to "
            "play on throw-away servers."
        )


@contextmanager
def own_workers(seed: str) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Run workers and beat as children; print their logs if one of them fails."""
    os.environ.update({"SIMULATION_SEED": seed, "BOT_THINK_SECONDS": "0"})
    with tempfile.TemporaryDirectory(prefix="rummy-simulate-") as directory:
        log = Path(directory)
        workers = [
            stack.start_worker("settle,bots,exports,messages,intake", log / "worker.log"),
            stack.start_worker("clock", log / "clock.log", threads=1),
            stack.start_beat(log / "beat", log / "beat.log"),
        ]
        try:
            _wait_until_they_answer(2)
            yield workers
        finally:
            stop_children(workers)


def _wait_until_they_answer(number: int, seconds: float = 60.0) -> None:
    """Wait until the workers answer, so that their start does not count as playing time."""
    deadline = time.monotonic() + seconds
    while len(celery.app.control.ping(timeout=0.5) or []) < number:
        if time.monotonic() > deadline:
            raise CommandError("The workers did not start.")
