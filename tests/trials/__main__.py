"""Trials of whole installations: `python -m tests.trials soak`, `rehearsal` or `compose`.

    soak        many pools at once while the processes of one machine are killed
    rehearsal   an installation of several machines, in which one part after the other fails
    compose     docker-compose.yml in Podman, with a pool played by the example client

Soak and rehearsal let simulated people play (`people`) on an installation of processes
(`installation`, `nodes`). At the end every game must be over and consistent (`measures`). The last
line is a report in JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.trials.installation import Installation

# All simulated people have one address.
ENVIRONMENT = {
    "DJANGO_SETTINGS_MODULE": "config.settings",
    "LOG_LEVEL": "WARNING",
    "SOCKETS_PER_ADDRESS": "10000",
    "SOCKETS_PER_PLAYER": "1000",
    "THROTTLE_FACTOR": "1000",
}


def main() -> int:
    options = _parse()
    return int(RUN[options.trial](options))


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tests.trials", description=__doc__)
    trials = parser.add_subparsers(dest="trial", required=True)

    soak = trials.add_parser("soak")
    soak.add_argument("--pools", type=int, default=200)
    soak.add_argument("--seconds", type=float, default=600.0, help="how long processes are killed")
    soak.add_argument("--every", type=float, default=10.0, help="mean seconds between two kills")

    rehearsal = trials.add_parser("rehearsal")
    rehearsal.add_argument("--people", type=_people, default=60, help="up to 300")
    rehearsal.add_argument("--think", type=float, default=4.0, help="seconds before a move")
    rehearsal.add_argument("--calm", type=float, default=10.0, help="seconds around each event")
    rehearsal.add_argument("--only", action="append", help="events whose name contains this")
    rehearsal.add_argument("--by-hand", action="store_true", help="a replica without Patroni")
    rehearsal.add_argument("--small", action="store_true", help="a third of the processes")

    compose = trials.add_parser("compose")
    compose.add_argument("--stand-ins", action="store_true", help="build the third-party images")
    compose.add_argument("--store", type=Path, help="directory of the images")
    compose.add_argument("--as-built", action="store_true", help="use the image of the last run")
    compose.add_argument("--keep", action="store_true", help="leave the containers running")

    for each in (soak, rehearsal):
        each.add_argument("--seed", default=str(time.time_ns()))
    return parser.parse_args()


def _people(text: str) -> int:
    number = int(text)
    if not 2 <= number <= 300:
        raise argparse.ArgumentTypeError("2 to 300")
    return number


def _soak(options: argparse.Namespace) -> int:
    from tests.trials.installation import FLEET, Installation, migrated_datadir

    os.environ.setdefault("BOT_THINK_SECONDS", "0.1")
    return _conduct(lambda: Installation(migrated_datadir(), FLEET), "soak", options)


def _rehearsal(options: argparse.Namespace) -> int:
    from tests.trials.nodes.multinode import FLEET, SMALL_FLEET, MultiNode, missing_programs

    if missing := missing_programs(by_hand=options.by_hand):
        sys.stdout.write(f"No rehearsal: apt-get install {' '.join(missing)}\n")
        return 0
    # Otherwise each process would compile all modules again.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    fleet = SMALL_FLEET if options.small else FLEET
    return _conduct(lambda: MultiNode(fleet, by_hand=options.by_hand), "rehearsal", options)


def _conduct(start: Callable[[], Installation], scenario: str, options: argparse.Namespace) -> int:
    """Run a scenario on an installation and print its report."""
    for name, value in ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    site = start()
    try:
        import django

        django.setup()
        from tests.trials import scenarios

        report: dict[str, Any] = getattr(scenarios, scenario)(site, options)
    finally:
        site.close()
    sys.stdout.write(f"{json.dumps(report)}\n")
    return 0 if report["ok"] else 1


def _compose(options: argparse.Namespace) -> int:
    os.environ.setdefault("RUMMY_EPHEMERAL", "1")
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    from tests.trials.compose import try_compose

    return try_compose(options)


RUN: Mapping[str, Callable[[argparse.Namespace], int]] = {
    "soak": _soak,
    "rehearsal": _rehearsal,
    "compose": _compose,
}


if __name__ == "__main__":
    sys.exit(main())
