"""Write a report as CSV or XLSX: header lines, columns, rows, then control totals."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from functools import partial
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING, Any
from uuid import UUID
from zoneinfo import ZoneInfo

from django.conf import settings

from core.http.csv_stream import harmless
from finance.exceptions import TooManyRows
from finance.reports.frame.report import NO_ACTIVITY, Question, Report, Row

# Imported where a sheet is written, so that other processes start faster.
if TYPE_CHECKING:
    import xlsxwriter
    from xlsxwriter.worksheet import Worksheet

# The row limit of spreadsheet programs, less the lines above and below the rows.
SHEET_ROWS_MAX = 1_048_576 - 20
# Larger numbers would be rounded: a sheet's numbers are floating point.
EXACT_MAX = 10**15
PART_BYTES = 64 * 1024


@dataclass
class Counted:
    """Counts the rows written so far."""

    rows: int = 0


def csv_parts(report: Report, question: Question, count: Counted) -> Iterator[bytes]:
    """Yield the whole report as CSV; lines that are not rows begin with `#`."""
    above = [[f"# {name}", value] for name, value in report.header(question).items()]
    yield _csv([*above, report.columns])
    for rows, part in (report.csv_lines or partial(_csv_rows, report))(question):
        count.rows += rows
        yield part
    below = [] if count.rows else [[f"# {NO_ACTIVITY}"]]
    yield _csv([*below, ["# control totals", totals_as_json(report, question)]])


def _csv_rows(report: Report, question: Question) -> Iterator[tuple[int, bytes]]:
    for rows in report.chunks(question):
        cells = ([_cell(row[column]) for column in report.columns] for row in rows)
        yield len(rows), _csv(cells)


def _cell(value: Any) -> Any:
    if isinstance(value, datetime):  # As in JSON.
        return value.isoformat().replace("+00:00", "Z")
    return harmless(value)


def _csv(lines: Iterable[Sequence[Any]]) -> bytes:
    buffer = io.StringIO()
    csv.writer(buffer).writerows(lines)
    return buffer.getvalue().encode()


def sheet_parts(report: Report, question: Question, count: Counted) -> Iterator[bytes]:
    """Return the whole report as an XLSX file, written to disk row by row before it is sent."""
    with ExitStack() as stack:
        file = stack.enter_context(TemporaryFile())
        _write_sheet(file, report, question, count)
        file.seek(0)
        stack.pop_all()  # `parts_of` closes it when the response has been sent.
    return parts_of(file)


def parts_of(file: IO[bytes]) -> Iterator[bytes]:
    """Yield an open file in parts of `PART_BYTES`, then close it."""
    with file:
        while part := file.read(PART_BYTES):
            yield part


def _write_sheet(file: IO[bytes], report: Report, question: Question, count: Counted) -> None:
    import xlsxwriter

    # Names and memos are text, even if they look like a formula.
    options = {
        "constant_memory": True,
        "strings_to_formulas": False,
        "strings_to_numbers": False,
        "strings_to_urls": False,
    }
    with xlsxwriter.Workbook(file, options) as book:
        book.set_properties({"title": report.title, "created": question.generated_at})
        sheet = book.add_worksheet(report.title)
        bold = book.add_format({"bold": True})
        cells = _Cells(book, report)
        line = 0
        for name, value in report.header(question).items():
            sheet.write_row(line, 0, [name, value])
            line += 1
        sheet.write_row(line, 0, report.columns, bold)
        sheet.freeze_panes(line + 1, 0)
        top = line + 1
        for rows in report.chunks(question):
            count.rows += len(rows)
            if count.rows > SHEET_ROWS_MAX:
                raise TooManyRows(f"a sheet holds {SHEET_ROWS_MAX} rows; request CSV")
            for row in rows:
                line += 1
                cells.write(sheet, line, row)
        if not count.rows:
            line += 1
            sheet.write(line, 0, NO_ACTIVITY)
        line = cells.write_sums(sheet, top, line)
        sheet.write_row(line + 1, 0, ["control totals", totals_as_json(report, question)], bold)


class _Cells:
    """Write cells with spreadsheet types: amounts as numbers, days as dates.

    Times are in the site's time zone.
    """

    def __init__(self, book: xlsxwriter.Workbook, report: Report) -> None:
        self._columns = report.columns
        self._amount = book.add_format({"num_format": "#,##0.00"})
        self._bold = book.add_format({"num_format": "#,##0.00", "bold": True})
        self._day = book.add_format({"num_format": "yyyy-mm-dd"})
        self._moment = book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"})
        # By currency and column, in minor units.
        self._sums: dict[str, dict[str, Decimal]] = {}

    def write(self, sheet: Worksheet, line: int, row: Row) -> None:
        currency = row.get("currency", "")
        for place, name in enumerate(self._columns):
            value = row[name]
            if isinstance(value, Decimal):
                of = self._sums.setdefault(currency, {})
                of[name] = of.get(name, Decimal()) + value
                if abs(value) < EXACT_MAX // 1_000:
                    sheet.write_number(line, place, float(value), self._amount)
                else:
                    sheet.write_string(line, place, str(value))
            elif isinstance(value, datetime):
                moment = value.astimezone(ZoneInfo(settings.TIME_ZONE))
                sheet.write_datetime(line, place, moment.replace(tzinfo=None), self._moment)
            elif isinstance(value, date):
                sheet.write_datetime(line, place, value, self._day)
            elif isinstance(value, str | UUID) or (
                isinstance(value, int) and abs(value) > EXACT_MAX
            ):
                if text := str(value):
                    sheet.write_string(line, place, text)
            else:
                sheet.write(line, place, value)

    def write_sums(self, sheet: Worksheet, top: int, last: int) -> int:
        """Write a line of SUMIF formulas for each currency below the rows; return the last line."""
        from xlsxwriter.utility import xl_range_abs

        line = last
        if "currency" not in self._columns:
            return line
        key = self._columns.index("currency")
        codes = xl_range_abs(top, key, last, key)
        for currency, sums in sorted(self._sums.items()):
            line += 1
            sheet.write(line, 0, f"sum {currency}", self._bold)
            for name, total in sums.items():
                place = self._columns.index(name)
                amounts = xl_range_abs(top, place, last, place)
                formula = f'=SUMIF({codes},"{currency}",{amounts})'
                sheet.write_formula(line, place, formula, self._bold, float(total))
        return line


def totals_as_json(report: Report, question: Question) -> str:
    return json.dumps(report.totals(question), sort_keys=True)
