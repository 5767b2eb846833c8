"""Match a bank statement (MT940 or CSV) with the payouts, line by line; print the result as CSV.

Exits with 1 if a debit matches no payout or one noted as refused, an amount differs, a payout came
back, or one noted as paid is not in the statement.
"""

from __future__ import annotations

import csv
import sys
from argparse import ArgumentParser
from collections import Counter
from pathlib import Path
from typing import Any, cast

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from core.http.csv_stream import harmless
from finance.exceptions import BadFile
from finance.reconciliation.bank_statements import COLUMNS, CREDIT, MATCHED, matched, read_statement


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("statement", type=Path)
        parser.add_argument(
            "--currency", default=settings.CASH_CURRENCIES[0], help="of CSV without a currency"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            lines = read_statement(options["statement"].read_bytes(), currency=options["currency"])
        except BadFile as refusal:
            wrong = "; ".join(f"line {one['line']}: {one['message']}" for one in _lines(refusal))
            raise CommandError(f"{refusal}{': ' if wrong else ''}{wrong}") from refusal
        writer = csv.DictWriter(self.stdout, COLUMNS)
        writer.writeheader()
        outcomes: Counter[str] = Counter()
        for row in matched(lines):
            outcomes[row["outcome"]] += 1
            writer.writerow({name: harmless(cell) for name, cell in row.items()})
        summary = ", ".join(f"{number} {outcome}" for outcome, number in sorted(outcomes.items()))
        self.stderr.write(summary)
        if outcomes.keys() - {MATCHED, CREDIT}:
            sys.exit(1)


def _lines(refusal: BadFile) -> list[dict[str, Any]]:
    return cast(list[dict[str, Any]], refusal.details["lines"])
