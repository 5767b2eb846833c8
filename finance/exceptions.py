"""Errors of finance's API and of the daily close."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from wallet.exceptions import WalletError

GONE = 410
# The number of bad lines listed in one response.
BAD_LINES_MAX = 100


class BadPeriod(WalletError, status=400):
    """The period is empty or outside what the ledger can contain."""


class UnknownTimeZone(WalletError, status=400):
    """The time zone does not exist."""


class BadCursor(WalletError, status=400):
    """The cursor is invalid or belongs to another query."""


class SiteDaysOnly(WalletError, status=400):
    """This report has booking days only; leave out `tz` or use the site's time zone."""


class RupeesOnly(WalletError, status=400):
    """The return is in rupees, and the report has other currencies."""


class TooManyRows(WalletError, status=400):
    """The report has more rows than a spreadsheet can hold; use fewer days or CSV."""


class TooManyExports(WalletError, status=429):
    """The exports of the last 24 hours have reached the limit of bytes."""


class ExportNotReady(WalletError, status=409):
    """The export is not finished, or it failed."""


class ExportGone(WalletError, status=GONE):
    """The export's file has expired; request a new export."""


class BooksDiffer(WalletError, status=409):
    """The control totals of the day or year do not agree, so it cannot be closed."""


class YearNotClosed(WalletError, status=409):
    """The last day of the financial year is not closed."""


class NothingToExplain(WalletError, status=409):
    """None of the chosen rows of a bank's reconciliation is open."""


class BadSettlement(WalletError, status=409):
    """The file has no settlement, or the lines of a settlement contradict each other."""


class NotATarget(WalletError):
    """A webhook's URL must be https, on a public host and the default port, without a password."""


class EndpointEnded(WalletError, status=409):
    """The webhook is not approved, or it was ended; nothing is sent to it."""


class UnknownFile(WalletError, status=404):
    """No gateway file with this hash was uploaded."""


class BadFile(WalletError):
    """A bank's or gateway's file cannot be read; its faults are listed and nothing is saved."""

    status: ClassVar[int] = 400

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


class TokenTooLong(WalletError, status=400):
    """The token's expiry date is more than a year away."""


class TokenNeedsMaker(WalletError, status=400):
    """A token for reports with personal data needs the member of staff who requests it."""


class TokenEnded(WalletError, status=409):
    """The token is revoked or has expired."""
