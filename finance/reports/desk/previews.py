"""The first rows of a report, as the admin's page shows them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Final

from django.utils import timezone
from django.utils.formats import date_format, number_format

from finance.reports.frame.report import START, Question, Report
from wallet.ledger.money import as_money, as_text

ROWS_SHOWN: Final = 20
MINOR: Final = "_minor"
# A public id is shown by its last digits, as everywhere in the admin.
PUBLIC_ID: Final = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{4}([0-9a-f]{8})")
CELL_MAX: Final = 60


@dataclass(frozen=True, slots=True)
class Cell:
    text: str
    is_number: bool = False
    # The whole value, if `text` is shortened.
    full: str = ""


@dataclass(frozen=True, slots=True)
class Preview:
    """The first rows, and the control totals of the whole report as label and text."""

    # The headings; those of figures are aligned like them.
    columns: list[Cell]
    rows: list[list[Cell]]
    # Whether the report has more rows than these.
    has_more: bool
    totals: list[tuple[str, list[tuple[str, str]]]]


def preview_of(report: Report, question: Question) -> Preview:
    """Return the first rows, without columns in minor units that repeat another column."""
    found = report.page(question, START, ROWS_SHOWN + 1)
    shown = [
        name
        for name in report.columns
        if not (name.endswith(MINOR) and name.removesuffix(MINOR) in report.columns)
    ]
    rows = [[_cell(name, row) for name in shown] for _, row in found[:ROWS_SHOWN]]
    return Preview(
        columns=[
            Cell(_label(name.removesuffix(MINOR)), any(row[at].is_number for row in rows))
            for at, name in enumerate(shown)
        ],
        rows=rows,
        has_more=len(found) > ROWS_SHOWN,
        totals=_totals(report, question) if found else [],
    )


def _totals(report: Report, question: Question) -> list[tuple[str, list[tuple[str, str]]]]:
    return [
        (currency, [_total(name, number, currency) for name, number in of.items()])
        for currency, of in sorted(report.totals(question).items())
    ]


def _total(name: str, number: int, currency: str) -> tuple[str, str]:
    """Return a control total's label and its text, an amount with its currency."""
    if name.endswith(MINOR):
        return _label(name.removesuffix(MINOR)), as_text(as_money(number, currency))
    return _label(name), number_format(number, force_grouping=True)


def _label(column: str) -> str:
    """Return a column's name as a heading: `booked_on` as "Booked on"."""
    return column.replace("_", " ").capitalize()


def _cell(name: str, row: Mapping[str, Any]) -> Cell:
    """Return a value as text; one in minor units as an amount, if the row names its currency."""
    value = row[name]
    if name.endswith(MINOR) and value is not None and row.get("currency"):
        value = as_money(value, row["currency"]).amount
    is_number = isinstance(value, int | Decimal) and not isinstance(value, bool)
    if value is None or value == "":
        return Cell("-")
    if isinstance(value, datetime):
        return Cell(date_format(timezone.localtime(value), "j M Y, H:i"))
    if isinstance(value, date):
        return Cell(date_format(value, "j M Y"))
    if is_number:
        return Cell(number_format(value, force_grouping=True), is_number=True)
    text = PUBLIC_ID.sub("…\\1", str(value))
    text = text if len(text) <= CELL_MAX else f"{text[:CELL_MAX]}…"
    return Cell(text, full="" if text == str(value) else str(value))
