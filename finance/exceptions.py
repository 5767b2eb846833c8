"""Errors of finance's API and of the daily close."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from wallet.exceptions import BAD_REQUEST, CONFLICT, NOT_FOUND, TOO_MANY, WalletError

GONE = 410
# The number of bad lines listed in one response.
BAD_LINES_MAX = 100


class BadPeriod(WalletError, status=BAD_REQUEST):
    """The period is empty or outside what the ledger can contain."""


class UnknownTimeZone(WalletError, status=BAD_REQUEST):
    """The time zone does not exist."""


class BadCursor(WalletError, status=BAD_REQUEST):
    """The cursor is invalid or belongs to another query."""


class SiteDaysOnly(WalletError, status=BAD_REQUEST):
    """This report has booking days only; leave out `tz` or use the site's time zone."""


class RupeesOnly(WalletError, status=BAD_REQUEST):
    """The return is in rupees, and the report has other currencies."""


class TooManyRows(WalletError, status=BAD_REQUEST):
    """The report has more rows than a spreadsheet can hold; use fewer days or CSV."""


class TooManyExports(WalletError, status=TOO_MANY):
    """The exports of the last 24 hours have reached the limit of bytes."""


class ExportNotReady(WalletError, status=CONFLICT):
    """The export is not finished, or it failed."""


class ExportGone(WalletError, status=GONE):
    """The export's file has expired; request a new export."""


class BooksDiffer(WalletError, status=CONFLICT):
    """The control totals of the day or year do not agree, so it cannot be closed."""


class YearNotClosed(WalletError, status=CONFLICT):
    """The last day of the financial year is not closed."""


class NothingToExplain(WalletError, status=CONFLICT):
    """None of the chosen rows of a bank's reconciliation is open."""


class BadSettlement(WalletError, status=CONFLICT):
    """The file has no settlement, or the lines of a settlement contradict each other."""


class NotATarget(WalletError):
    """A webhook's URL must be https, on a public host and the default port, without a password."""


class EndpointEnded(WalletError, status=CONFLICT):
    """The webhook is not approved, or it was ended; nothing is sent to it."""


class UnknownFile(WalletError, status=NOT_FOUND):
    """No gateway file with this hash was uploaded."""


class BadFile(WalletError):
    """A bank's or gateway's file cannot be read; its faults are listed and nothing is saved."""

    status: ClassVar[int] = BAD_REQUEST

    def __init__(self, message: str, lines: Sequence[BadLine] = ()) -> None:
        super().__init__(message)
        self.lines = lines
        self.details = {
            "bad_lines": len(lines),
            "lines": [line._asdict() for line in lines[:BAD_LINES_MAX]],
        }


class BadLine(NamedTuple):
    """A fault in a file: where it is ("line 7", the header is line 1), and what was expected."""

    position: str
    code: str
    message: str
    expected: str = ""


class BadLayout(Exception):
    """A layout contradicts itself; `declaration` is the one to change."""

    def __init__(self, declaration: str, message: str) -> None:
        super().__init__(message)
        self.declaration = declaration


class TokenTooLong(WalletError, status=BAD_REQUEST):
    """The token's expiry date is more than a year away."""


class TokenNeedsMaker(WalletError, status=BAD_REQUEST):
    """A token for reports with personal data needs the member of staff who requests it."""


class TokenEnded(WalletError, status=CONFLICT):
    """The token is revoked or has expired."""
