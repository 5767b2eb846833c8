"""What finance's interface refuses, each with a stable code."""

from __future__ import annotations

from typing import ClassVar

from wallet.exceptions import BAD_REQUEST, CONFLICT, WalletError


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


class BooksDiffer(WalletError):
    """A day cannot be closed while its figures do not agree."""

    code, status = "books_differ", CONFLICT
