"""Who may read a report: a finance token with its scope, or staff with its permission."""

from __future__ import annotations

from typing import Any

from finance.reports.catalogue import REPORTS
from finance.reports.frame.report import Report
from finance.tokens.models import FinanceToken
from players.accounts.models import User

Reader = FinanceToken | User


def may_read(report: Report, reader: object) -> bool:
    """Return whether a token or a member of staff may read a report; False for others."""
    if isinstance(reader, FinanceToken):
        return report.name in reader.scopes
    return isinstance(reader, User) and reader.is_staff and reader.has_perm(report.permission)


def readable_by(reader: object) -> list[Report]:
    """Return the reports that a reader may read, in the catalogue's order."""
    return [report for report in REPORTS if may_read(report, reader)]


def scopes_of(reader: Reader | None) -> list[str]:
    """Return the scopes of a token; a session has none, so tax numbers stay masked in it."""
    return list(reader.scopes) if isinstance(reader, FinanceToken) else []


def columns_of(reader: Reader) -> dict[str, Any]:
    """Return the columns of an export that name its reader."""
    return {"token": reader} if isinstance(reader, FinanceToken) else {"staff": reader}
