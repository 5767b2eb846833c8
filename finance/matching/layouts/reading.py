"""Read a bank's CSV by its layout: headings below a preamble, lines, and a footer.

The known layouts are those of this installation, then those of `banks/`, one file for each bank.
"""

from __future__ import annotations

import csv
import io
import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final

from finance.exceptions import BadFile, BadLine
from finance.matching.files import Contents, Statement, csv_rows, decoded, read_each
from finance.matching.layouts.layout import Layout
from finance.matching.layouts.models import CsvLayout
from finance.matching.layouts.rows import RowReader, balances, in_order

# Banks write addresses and periods above the headings, some of them twenty rows.
PREAMBLE_MAX: Final = 100
BANKS: Final = files(__package__) / "banks"
ACCOUNT: Final = re.compile(r"[0-9Xx*]{6,}")
UNVERIFIED: Final = (
    "The layout {title} was not compared with a file of the bank itself: check the first lines."
)
Row = tuple[str, list[str]]


@dataclass(frozen=True)
class Headings:
    """The row of headings: its number from 0, its delimiter, and the places of the columns."""

    number: int
    delimiter: str
    places: dict[str, int]
    width: int


@dataclass(frozen=True)
class LayoutReader:
    """Reads CSV with one layout."""

    layout: Layout

    @property
    def name(self) -> str:
        return self.layout.title

    def recognizes(self, body: bytes) -> bool:
        """Return whether a file has the columns of the layout."""
        try:
            text, _warnings = self._text(body)
        except BadFile:
            return False
        return self._headings(_written(text)) is not None

    def read(self, body: bytes, *, currency: str) -> Contents:
        """Return one statement; its balances are those of the balance column, if there is one."""
        layout = self.layout
        text, warnings = self._text(body)
        written = _written(text)
        headings = self._headings(written)
        if headings is None:
            wanted = ", ".join(layout.columns)
            fault = BadLine(
                "file", "unknown_columns", "no row has these headings, once each", wanted
            )
            raise BadFile("the headings are missing", [fault])
        currency = layout.currency or currency
        reader = RowReader(layout, headings.places, headings.width, currency)
        rows = _rows(written[headings.number + 1 :], headings)
        steps = in_order(list(read_each(self._booked(reader, rows), reader.steps)), currency)
        statement = Statement(
            self._account(written[: headings.number]),
            currency,
            tuple(step.line for step in steps if step.line is not None),
            *balances(steps),
            position="file",
        )
        if not layout.verified:
            warnings = (*warnings, UNVERIFIED.format(title=layout.title))
        return Contents(layout.title, (statement,), warnings)

    def _text(self, body: bytes) -> tuple[str, tuple[str, ...]]:
        if not self.layout.encoding:
            return decoded(body)
        try:
            text = body.decode(self.layout.encoding)
        except UnicodeDecodeError as error:
            raise BadFile(f"the file is not in {self.layout.encoding.upper()}") from error
        return text, ()

    def _headings(self, written: list[str]) -> Headings | None:
        for number, row in enumerate(written[:PREAMBLE_MAX]):
            for delimiter in self.layout.delimiters:
                cells = next(csv.reader([row], delimiter=delimiter), [])
                places = self.layout.places(cells)
                if places is not None:
                    return Headings(number, delimiter, places, len(cells))
        return None

    def _account(self, above: Iterable[str]) -> str:
        """Return the number after the account's label, or "" without one."""
        label = self.layout.account.casefold()
        for row in above if label else ():
            place = row.casefold().find(label)
            if place >= 0 and (number := ACCOUNT.search(row, place + len(label))):
                return number[0]
        return ""

    def _booked(self, reader: RowReader, rows: Iterable[Row]) -> Iterator[Row]:
        """Yield the rows above the footer; raise `BadFile` for a line below it."""
        is_over = False
        for position, row in rows:
            if self.layout.begins(self.layout.footer, row):
                is_over = True
            elif not is_over:
                yield position, row
            elif reader.is_line(row):
                fault = BadLine(
                    position, "below_footer", "it is a line below the footer", "no line"
                )
                raise BadFile("some lines cannot be read", [fault])


def _written(text: str) -> list[str]:
    """Return a text's lines with their ends, without the BOM."""
    return io.StringIO(text.removeprefix("\ufeff"), newline="").readlines()


def _rows(written: list[str], headings: Headings) -> Iterator[Row]:
    """Yield the rows with their positions; empty ones, and rows of signs, are passed over."""
    rows = csv_rows(written, delimiter=headings.delimiter, above=headings.number + 1)
    for number, row in rows:
        if any(character.isalnum() for cell in row for character in cell):
            yield f"line {number}", row


@cache
def bank_layouts() -> tuple[Layout, ...]:
    """Return the layouts of all banks, in the order of their files."""
    paths = sorted(path.name for path in BANKS.iterdir() if path.name.endswith(".toml"))
    return tuple(layout for path in paths for layout in _layouts(path))


def _layouts(path: str) -> list[Layout]:
    declared: dict[str, Any] = tomllib.loads((BANKS / path).read_text())
    layouts = declared.pop("layouts")
    return [Layout.of(declared | one) for one in layouts]


def layout_readers() -> list[LayoutReader]:
    """Return a reader for each layout, those that staff declared first."""
    own = [row.layout() for row in CsvLayout.objects.all()]
    return [LayoutReader(layout) for layout in (*own, *bank_layouts())]


def reader_named(name: str) -> LayoutReader | None:
    """Return the reader of a layout by its name ("hdfc", "own-7"); None for "".

    Raise `BadFile` if there is no such layout.
    """
    readers = {one.layout.name: one for one in layout_readers()}
    if name and name not in readers:
        raise BadFile(f"there is no layout {name!r}: use one of {', '.join(readers)}")
    return readers.get(name)
