"""Withhold tax on winnings left in wallets at the end of a financial year (RB 11.4).

Can be repeated and interrupted: settled players are skipped.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from wallet.exceptions import YearNotOver, YearStillOpen
from wallet.ledger.days import site_day
from wallet.tax.arithmetic import financial_year, year_name
from wallet.tax.withholding import players_to_settle, settle_year

TOLD_EVERY = 1_000


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--year",
            type=int,
            help="the year in which the financial year begins (default: the last ended one)",
        )
        parser.add_argument("--currency", default=settings.CASH_CURRENCIES[0])

    def handle(self, *args: Any, **options: Any) -> None:
        year, currency = options["year"], options["currency"]
        year = financial_year(site_day()) - 1 if year is None else year
        waiting = len(players_to_settle(currency=currency, year=year))
        settled = refused = 0
        try:
            for is_done in settle_year(year=year, currency=currency):
                settled, refused = settled + is_done, refused + (not is_done)
                if (settled + refused) % TOLD_EVERY == 0:
                    self.stdout.write(f"{settled + refused} of {waiting}")
        except (YearNotOver, YearStillOpen) as refusal:
            raise CommandError(str(refusal)) from refusal
        self.stdout.write(f"{year_name(year)}: {settled} players settled, {refused} refused")
        if refused:
            sys.exit(1)
