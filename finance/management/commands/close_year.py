"""Export all reports of a financial year to a folder, with a manifest of hashes."""

from __future__ import annotations

import json
from argparse import ArgumentParser, ArgumentTypeError
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from finance.reports.exports.year import MANIFEST, write_year
from wallet.exceptions import WalletError

YEARS = range(2000, 3000)


def _year(text: str) -> int:
    if text.isdecimal() and int(text) in YEARS:
        return int(text)
    raise ArgumentTypeError(f"{text!r} is not a year from {YEARS[0]} to {YEARS[-1]}")


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("year", type=_year, help="the year in which the financial year begins")
        parser.add_argument("--out", type=Path, required=True, help="a folder, new or empty")
        parser.add_argument(
            "--tax-numbers", action="store_true", help="write tax numbers of players in full"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        folder: Path = options["out"]
        if folder.exists() and not folder.is_dir():
            raise CommandError(f"{folder} is not a folder")
        if folder.exists() and any(folder.iterdir()):
            raise CommandError(f"{folder} is not empty")
        try:
            for path in write_year(
                year=options["year"], folder=folder, shows_tax_numbers=options["tax_numbers"]
            ):
                self.stdout.write(path.name)
        except WalletError as refusal:
            raise CommandError(f"{refusal} ({refusal.code})") from refusal
        except FileExistsError as error:
            raise CommandError(f"another run writes into {folder}") from error
        except OSError as error:  # A full disk, or no permission.
            message = f"{error}; {folder} is incomplete and has no {MANIFEST}"
            raise CommandError(message) from error
        left = json.loads((folder / MANIFEST).read_text())["players_not_settled"]
        for currency, number in left.items():
            if number:
                self.stderr.write(f"{number} players with {currency} are not settled for the year")
