"""Compute the leaderboards of open seasons again; with --check only compare all seasons.

They are computed from finished games and tournaments alone. --check changes nothing and exits with
1 if a result, a standing or the end of a season differs. Seasons that have ended are final: only
--check reads them.
"""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from tournaments.leagues import recomputing
from tournaments.leagues.models import LeagueResult


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--check", action="store_true", help="compare, and change nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        if not options["check"]:
            number = recomputing.recompute()
            self.stdout.write(f"{number} open seasons, {LeagueResult.objects.count()} results.")
            return
        found = recomputing.differences()
        for line in found:
            self.stderr.write(line)
        if found:
            raise CommandError(f"{len(found)} differences. Run `manage.py recompute_leagues`.")
        self.stdout.write(f"{LeagueResult.objects.count()} results follow from the contests.")
