"""One answer as CSV or as a sheet: header lines, columns, rows, control totals last."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from tempfile import TemporaryFile
from typing import IO, Any

import xlsxwriter

from core.http.csv_stream import harmless
from finance.exceptions import TooManyRows
from finance.reporting.report import NO_ACTIVITY, Question, Report

# What a spreadsheet program opens at most, less the lines above and below the rows.
SHEET_ROWS_MAX = 1_048_576 - 20
# Beyond this a sheet's numbers, which are floating, would be rounded.
EXACT_MAX = 10**15
PART_BYTES = 64 * 1024


class Counted:
    """How many rows an answer has had so far."""

    rows: int = 0


def csv_parts(report: Report, question: Question, count: Counted) -> Iterator[bytes]:
    """Yield the whole answer as CSV; lines that are no rows begin with `#`."""
    above = [[f"# {name}", value] for name, value in report.header(question).items()]
    yield _csv([*above, report.columns])
    for rows, part in (report.csv_lines or partial(_csv_rows, report))(question):
        count.rows += rows
        yield part
    below = [] if count.rows else [[f"# {NO_ACTIVITY}"]]
    yield _csv([*below, ["# control totals", totals_as_json(report, question)]])


def _csv_rows(report: Report, question: Question) -> Iterator[tuple[int, bytes]]:
    for rows in report.chunks(question):
        cells = ([harmless(row[column]) for column in report.columns] for row in rows)
        yield len(rows), _csv(cells)


def _csv(lines: Iterable[Sequence[Any]]) -> bytes:
    buffer = io.StringIO()
    csv.writer(buffer).writerows(lines)
    return buffer.getvalue().encode()


def sheet_parts(report: Report, question: Question, count: Counted) -> Iterator[bytes]:
    """Return the whole answer as an XLSX file, written row by row to disk before it is sent."""
    with ExitStack() as stack:
        file = stack.enter_context(TemporaryFile())
        _write_sheet(file, report, question, count)
        file.seek(0)
        stack.pop_all()  # It is read, and closed, when the answer is sent.
    return parts_of(file)


def parts_of(file: IO[bytes]) -> Iterator[bytes]:
    """Read an open file piece by piece, and close it."""
    with file:
        while part := file.read(PART_BYTES):
            yield part


def _write_sheet(file: IO[bytes], report: Report, question: Question, count: Counted) -> None:
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
        line = 0
        for name, value in report.header(question).items():
            sheet.write_row(line, 0, [name, value])
            line += 1
        sheet.write_row(line, 0, report.columns, bold)
        for rows in report.chunks(question):
            count.rows += len(rows)
            if count.rows > SHEET_ROWS_MAX:
                raise TooManyRows(f"a sheet holds {SHEET_ROWS_MAX} rows; ask for CSV")
            for row in rows:
                line += 1
                sheet.write_row(line, 0, [_cell(row[column]) for column in report.columns])
        if not count.rows:
            line += 1
            sheet.write(line, 0, NO_ACTIVITY)
        sheet.write_row(line + 1, 0, ["control totals", totals_as_json(report, question)], bold)


def _cell(value: Any) -> Any:
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > EXACT_MAX:
        return str(value)
    return value


def totals_as_json(report: Report, question: Question) -> str:
    return json.dumps(report.totals(question), sort_keys=True)
