"""What a bank's or a gateway's file is read into, independent of its format.

Each format has a reader; readers neither query nor store, and refuse a file as a whole.
"""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from itertools import pairwise
from typing import Final, Protocol, TypeVar

from moneyed import CurrencyDoesNotExist, Money

from finance.exceptions import BadFile, BadLine
from wallet.exceptions import InexactAmount
from wallet.ledger.money import MINOR_UNITS_MAX, minor_units

# A part of a word between other characters, as in "NEFT-HDFCN52026050412345678-SETTLEMENT".
PART: Final = re.compile(r"[A-Z0-9]{6,}")
# A longer word is kept even without a digit.
PROSE_MAX: Final = 10
# Banks write these where a payment has no reference.
NONE_GIVEN: Final = frozenset({"NONREF", "NOTPROVIDED", "NOTAVAILABLE"})


def references_in(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the possible references in texts, in capitals and in a stable order.

    A line break in a text may be a wrap: the words beside it are also joined.

    >>> references_in(["UTR HDFCN5202605\\n0412345678 END"])
    ('0412345678', 'END', 'HDFCN5202605', 'HDFCN52026050412345678', 'UTR')
    """
    found: set[str] = set()
    for text in texts:
        rows = [row.split() for row in text.upper().splitlines()]
        words = [word for row in rows for word in row]
        for word in [*words, *_joined([row for row in rows if row])]:
            found.add(word)
            found.update(PART.findall(word))
    return tuple(sorted(found - NONE_GIVEN))


def may_name(word: str) -> bool:
    """Return whether a word may be a reference rather than prose: stored lines keep only these.

    >>> [word for word in ("PAYMENT", "UTR9", "SETL_QWERTYUIO", "INV/7") if may_name(word)]
    ['UTR9', 'SETL_QWERTYUIO', 'INV/7']
    """
    return len(word) >= PROSE_MAX or any(map(str.isdigit, word))


def _joined(rows: Sequence[Sequence[str]]) -> Iterable[str]:
    """Yield the words that a wrap may have parted: over one line break, or over several."""
    so_far = ""
    for row, after in pairwise(rows):
        so_far = so_far + row[0] if so_far and len(row) == 1 else row[-1]
        yield row[-1] + after[0]
        yield so_far + after[0]


MESSAGE_MAX: Final = 200
BOMS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
Item = TypeVar("Item")
Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Line:
    """A booked line of a statement; amounts are signed minor units, debits negative.

    `references` are all texts that may name a payout or settlement, in capitals. `position` says
    where the line is in its file: "line 7", or "statement 1, block :61: number 3".
    """

    booked_on: date
    valued_on: date
    amount_minor: int
    references: tuple[str, ...]
    text: str
    position: str


@dataclass(frozen=True, slots=True)
class Balance:
    """A booked balance in signed minor units at the end of a day (opening: its beginning)."""

    amount_minor: int
    day: date | None


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement of one account in one currency, its lines in the order of their booking days.

    `account` is the number or IBAN as the bank writes it, without spaces, or "" where the file
    does not name it. A balance is None where the format has none. `number` is the bank's number of
    the statement, or "".
    """

    account: str
    currency: str
    lines: tuple[Line, ...]
    opening: Balance | None = None
    closing: Balance | None = None
    number: str = ""
    position: str = ""


@dataclass(frozen=True, slots=True)
class Contents:
    """A file as read: its format, its statements, and what the person uploading should know."""

    format: str
    statements: tuple[Statement, ...]
    warnings: tuple[str, ...] = ()


class Reader(Protocol):
    """Reads one format. `currency` is that of a file that does not name one."""

    @property
    def name(self) -> str:
        """Return what people call the format."""

    def recognizes(self, body: bytes) -> bool:
        """Return whether a file has this format; it may still be refused."""

    def read(self, body: bytes, *, currency: str) -> Contents:
        """Return the contents of a file; raise `BadFile` with all invalid lines."""


class Unreadable(Exception):
    """A line, block or cell is invalid; `code` is reported with its position.

    `expected` says what would be valid, as "an amount such as 1,234.50".
    """

    def __init__(self, code: str, message: str, expected: str = "") -> None:
        super().__init__(message)
        self.code, self.expected = code, expected

    def at(self, position: str) -> BadLine:
        return BadLine(position, self.code, str(self)[:MESSAGE_MAX], self.expected)


def read_each(
    items: Iterable[tuple[str, Item]], read: Callable[[str, Item], Iterable[Found]]
) -> Iterator[Found]:
    """Yield what `read` returns for each position and item; raise `BadFile` with all faults."""
    wrong: list[BadLine] = []
    for position, item in items:
        try:
            yield from read(position, item)
        except Unreadable as fault:
            wrong.append(fault.at(position))
        except BadFile as faults:  # Of a nested `read_each`.
            wrong += faults.lines
    if wrong:
        raise BadFile("some lines cannot be read", wrong)


def csv_rows(
    lines: Iterable[str], *, delimiter: str = ",", above: int = 0
) -> Iterator[tuple[int, list[str]]]:
    """Yield rows with the line on which they begin; quoted cells may have line breaks.

    `above` is the number of lines before these. Raise `BadFile` if they are not CSV.
    """
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    begins = above + 1
    try:
        for row in reader:
            yield begins, row
            begins = above + reader.line_num + 1
    except csv.Error as error:
        fault = Unreadable("bad_csv", str(error), "CSV")
        line = f"line {above + reader.line_num}"
        raise BadFile("the file is not CSV", [fault.at(line)]) from error


def one_line(text: str) -> str:
    return " ".join(text.split())


def as_minor(figure: Decimal, currency: str) -> int:
    """Return an amount in minor units; raise `Unreadable` if it is inexact or too large."""
    try:
        minor = minor_units(Money(figure, currency))
    except InexactAmount as error:
        raise Unreadable("bad_amount", str(error), "whole minor units") from error
    except CurrencyDoesNotExist as error:
        raise Unreadable("bad_currency", f"{currency[:20]!r} is no currency", "INR") from error
    if abs(minor) > MINOR_UNITS_MAX:
        raise Unreadable("bad_amount", f"{figure} is too large", "a smaller amount")
    return minor


def decoded(body: bytes) -> tuple[str, tuple[str, ...]]:
    """Return a file's text and warnings: by its BOM, else UTF-8, else Latin-1."""
    declared = next((name for start, name in BOMS if body.startswith(start)), "")
    warnings: tuple[str, ...] = ()
    try:
        text = body.decode(declared or "utf-8")
    except UnicodeDecodeError as error:
        if declared:
            raise BadFile(f"the file declares {declared.upper()} but is not in it") from error
        text, warnings = body.decode("latin-1"), ("The file is not UTF-8: read as Latin-1.",)
    if "\0" in text:
        raise BadFile("the file is not text: it has null bytes")
    return text, warnings
