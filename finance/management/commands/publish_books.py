"""Write the books of a period for strangers: journal, games and deals, under pseudonyms."""

from __future__ import annotations

from argparse import ArgumentParser
from datetime import date
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from finance.books.published import publish_books
from finance.reports.frame.models import DailyClose
from finance.reports.frame.periods import SITE_ZONE, Period


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("first", type=date.fromisoformat, help="the first day")
        parser.add_argument("last", type=date.fromisoformat, help="the last day, which is closed")
        parser.add_argument("--out", type=Path, required=True, help="a new folder")

    def handle(self, *args: Any, **options: Any) -> None:
        first, last, folder = options["first"], options["last"], options["out"]
        if first > last or not DailyClose.objects.filter(day=last).exists():
            raise CommandError(f"{first} to {last} is not a period of closed days")
        if folder.exists():
            raise CommandError(f"{folder} exists")
        number = sum(1 for _ in publish_books(period=Period(first, last, SITE_ZONE), folder=folder))
        self.stdout.write(f"{number} files in {folder}")
