"""Compute all ratings again from the finished games; with --check only compare them.

--check changes nothing and exits with 1 if a stored rating differs. Both may run while the
installation is in use; while ratings are computed, players have those of the games done so far.
"""

from __future__ import annotations

import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from tables.ratings import actions
from tables.ratings.models import RatingChange


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--check", action="store_true", help="compare, and change nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        began = time.monotonic()
        if not options["check"]:
            actions.take_back_ratings()
            games = actions.rate_due_games()
            seconds = max(time.monotonic() - began, 0.001)
            changes = RatingChange.objects.count()
            self.stdout.write(
                f"{games} games, {changes} changes in {seconds:.1f} s: "
                f"{changes / seconds:.0f} changes/s"
            )
            return
        found = actions.differences()
        for line in found:
            self.stderr.write(line)
        if found:
            raise CommandError(f"{len(found)} differences. Run `manage.py recompute_ratings`.")
        self.stdout.write(f"{RatingChange.objects.count()} changes follow from the games.")
