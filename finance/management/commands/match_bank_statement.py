"""Match a bank's file with payouts and settlements; print the lines as CSV.

Exits with 1 unless every line is `matched` or `credit` and no payout or settlement is missing.
Nothing is stored, and other statements are not considered.
"""

from __future__ import annotations

import csv
import sys
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from core.http.csv_stream import harmless
from finance.exceptions import BadFile
from finance.matching.files import Statement
from finance.matching.formats.reading import read_bank_file
from finance.matching.layouts.reading import layout_readers, reader_named
from finance.matching.matches import CREDIT, MATCHED, BankRow, Match, matches
from wallet.ledger.money import as_decimal

COLUMNS = (
    *("statement", "line", "day", "amount", "currency", "outcome"),
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
        parser.add_argument("--layout", default="", help="name of a layout of CSV, such as hdfc")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            body = options["statement"].read_bytes()
            contents = read_bank_file(
                body,
                currency=options["currency"],
                reader=reader_named(options["layout"]),
                layouts=layout_readers(),
            )
        except OSError as error:
            raise CommandError(str(error)) from error
        except BadFile as refusal:
            wrong = "; ".join(f"{one.position}: {one.message}" for one in refusal.lines)
            raise CommandError(f"{refusal}{': ' if wrong else ''}{wrong}") from refusal
        writer = csv.DictWriter(self.stdout, COLUMNS)
        writer.writeheader()
        outcomes: Counter[str] = Counter()
        for number, statement in enumerate(contents.statements, start=1):
            for match in matches_of(statement, number):
                outcomes[match.outcome] += 1
                row = row_of(match, number, statement.currency)
                writer.writerow({name: harmless(cell) for name, cell in row.items()})
        summary = ", ".join(f"{number} {outcome}" for outcome, number in sorted(outcomes.items()))
        self.stderr.write("\n".join([*contents.warnings, summary]))
        if outcomes.keys() - {MATCHED, CREDIT}:
            sys.exit(1)


def matches_of(statement: Statement, number: int = 1) -> Iterator[Match]:
    """Yield the matches of a statement that is not stored."""
    rows = [
        BankRow(
            number, place, one.booked_on, one.amount_minor, one.references, one.text, one.valued_on
        )
        for place, one in enumerate(statement.lines, start=1)
    ]

    def naming(names: Collection[str], *, with_own: bool) -> list[BankRow]:
        return [row for row in rows if with_own and not {*names}.isdisjoint(row.references)]

    if not rows:
        return
    days = (rows[0].day, rows[-1].day)
    yield from matches(rows, naming, currency=statement.currency, statement=number, days=days)


def row_of(match: Match, number: int, currency: str) -> dict[str, str]:
    """Return a match as a CSV row."""
    line, expected = match.line, match.expected
    cells = {
        "statement": number,
        "line": line and line.number,
        "day": line and line.day.isoformat(),
        "amount": line and as_decimal(line.amount_minor, currency),
        "currency": currency,
        "outcome": match.outcome,
        "withdrawal": expected.label if expected and expected.kind == "payout" else None,
        "settlement": expected.label if expected and expected.kind == "settlement" else None,
        "ours": expected and as_decimal(expected.amount_minor, currency),
        "status": expected and expected.status,
        "text": line and line.text,
    }
    return {name: "" if cell is None else str(cell) for name, cell in cells.items()}
