"""What finance's interface refuses, each with a stable code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from wallet.exceptions import BAD_REQUEST, CONFLICT, NOT_FOUND, WalletError

GONE = 410
# How many of a file's bad lines are named in one answer.
BAD_LINES_TOLD = 100


class BadPeriod(WalletError):
    """The days asked for are none, or none the books could have."""

    code, status = "bad_period", BAD_REQUEST


class UnknownTimeZone(WalletError):
    """There is no time zone of that name."""

    code, status = "unknown_time_zone", BAD_REQUEST


class BadCursor(WalletError):
    """The cursor is not one this interface gave out, or belongs to another question."""

    code: ClassVar[str] = "bad_cursor"
    status: ClassVar[int] = BAD_REQUEST


class HouseDaysOnly(WalletError):
    """This is kept by the house's days; another time zone would cut them."""

    code, status = "house_days_only", BAD_REQUEST


class TooManyRows(WalletError):
    """A sheet holds no more rows than a spreadsheet can open; ask for fewer days or for CSV."""

    code, status = "too_many_rows", BAD_REQUEST


class TooManyExports(WalletError):
    """The token's bearer has as many exports under way as one may have."""

    code, status = "too_many_exports", CONFLICT


class ExportNotReady(WalletError):
    """The export is not written yet, or failed."""

    code, status = "export_not_ready", CONFLICT


class ExportGone(WalletError):
    """The export's file was deleted when its time was over; ask for it anew."""

    code, status = "export_gone", GONE


class BooksDiffer(WalletError):
    """A day cannot be closed while its figures do not agree."""

    code, status = "books_differ", CONFLICT


class UnknownFile(WalletError):
    """No file of a gateway with this hash was ever uploaded."""

    code, status = "unknown_file", NOT_FOUND


class BadFile(WalletError):
    """A gateway's file cannot be read; each of its bad lines is named, and nothing is kept."""

    code: ClassVar[str] = "bad_file"
    status: ClassVar[int] = BAD_REQUEST

    def __init__(self, message: str, lines: Sequence[BadLine] = ()) -> None:
        super().__init__(message)
        self.details = {
            "bad_lines": len(lines),
            "lines": [line._asdict() for line in lines[:BAD_LINES_TOLD]],
        }


class BadLine(NamedTuple):
    """What is wrong with one line of a file; the header is line 1."""

    line: int
    code: str
    message: str
