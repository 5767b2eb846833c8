"""Seal the posted transfers; or print a day's last seal, to be stored on another system."""

from __future__ import annotations

from argparse import ArgumentParser
from datetime import date
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError

from wallet.audit.seals import daily_head, seal_ledger
from wallet.ledger.days import site_day

# Not a string, which argparse would parse as a day.
TODAY: Final = object()


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--head",
            nargs="?",
            type=date.fromisoformat,
            const=TODAY,
            metavar="DAY",
            help="print the last seal of a day (YYYY-MM-DD, default today) without sealing",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if day := options["head"]:
            day = site_day() if day == TODAY else day
            head = daily_head(day)
            if head is None:
                raise CommandError(f"no seal was made on {day}")
            self.stdout.write(str(head))
            return
        made = seal_ledger()
        transfers = sum(seal.transfer_count for seal in made)
        self.stdout.write(f"{transfers} transfers in {len(made)} new seals")
