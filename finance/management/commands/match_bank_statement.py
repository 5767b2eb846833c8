"""Match a bank statement with payouts and settlements; print the lines as CSV.

Reads MT940, CAMT.053 or CSV. Exits with 1 unless every line is `matched` or `credit` and no payout
or settlement is missing. Nothing is stored, and other statements are not considered.
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
from finance.matching.formats.statements import read_statement
from finance.matching.matches import CREDIT, MATCHED, Match, matches

COLUMNS = (
    *("line", "day", "amount", "currency", "outcome"),
    *("withdrawal", "settlement", "ours", "status", "text"),
)


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("statement", type=Path)
        parser.add_argument(
            "--currency",
            default=settings.CASH_CURRENCIES[0],
            help="currency of a CSV file without one",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            body = options["statement"].read_bytes()
            lines = read_statement(body, currency=options["currency"]).lines
        except OSError as error:
            raise CommandError(str(error)) from error
        except BadFile as refusal:
            wrong = "; ".join(f"line {one['line']}: {one['message']}" for one in _lines(refusal))
            raise CommandError(f"{refusal}{': ' if wrong else ''}{wrong}") from refusal
        writer = csv.DictWriter(self.stdout, COLUMNS)
        writer.writeheader()
        outcomes: Counter[str] = Counter()
        for match in matches(lines):
            outcomes[match.outcome] += 1
            writer.writerow({name: harmless(cell) for name, cell in row_of(match).items()})
        summary = ", ".join(f"{number} {outcome}" for outcome, number in sorted(outcomes.items()))
        self.stderr.write(summary)
        if outcomes.keys() - {MATCHED, CREDIT}:
            sys.exit(1)


def row_of(match: Match) -> dict[str, str]:
    """Return a match as a CSV row."""
    line, ours = match.line, match.ours
    cells = {
        "line": line and line.number,
        "day": line and line.day.isoformat(),
        "amount": line and line.amount,
        "currency": match.currency,
        "outcome": match.outcome,
        "withdrawal": match.withdrawal and match.withdrawal.public_id,
        "settlement": match.settlement and match.settlement.reference,
        "ours": ours,
        "status": match.status,
        "text": line and line.text,
    }
    return {name: "" if cell is None else str(cell) for name, cell in cells.items()}


def _lines(refusal: BadFile) -> list[dict[str, Any]]:
    return cast(list[dict[str, Any]], refusal.details["lines"])
