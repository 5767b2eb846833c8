"""All reports by name, and who may read one: staff with its permission, tokens with its scope."""

from __future__ import annotations

from typing import Any

from finance.closing.actions import CLOSE
from finance.matching.gateways.report import GATEWAY_RECONCILIATION
from finance.matching.report import BANK_RECONCILIATION
from finance.reports.definitions.adjustments import ADJUSTMENTS
from finance.reports.definitions.games import GAMES, TOURNAMENTS
from finance.reports.definitions.liabilities import BONUS_LIABILITY, PLAYER_LIABILITY, RECEIVABLES
from finance.reports.definitions.rake import RAKE
from finance.reports.definitions.staff_actions import SEAL_HEADS, STAFF_ACTIONS
from finance.reports.definitions.trial_balance import DAILY_CLOSE, TRIAL_BALANCE
from finance.reports.definitions.withdrawals import WITHDRAWALS
from finance.reports.frame.report import FULL, Report
from finance.reports.journal.journal import JOURNAL
from finance.taxes.gst import GST_INVOICES, GST_SUPPLIES
from finance.taxes.gst_tables import GST_DOCUMENTS, GST_HSN
from finance.taxes.tds import TDS_CERTIFICATES, TDS_DEDUCTIONS, TDS_QUARTERS
from finance.tokens.models import FinanceToken
from players.accounts.models import User

REPORTS: tuple[Report, ...] = (
    JOURNAL,
    TRIAL_BALANCE,
    PLAYER_LIABILITY,
    RAKE,
    GAMES,
    TOURNAMENTS,
    BONUS_LIABILITY,
    WITHDRAWALS,
    ADJUSTMENTS,
    GATEWAY_RECONCILIATION,
    BANK_RECONCILIATION,
    RECEIVABLES,
    DAILY_CLOSE,
    STAFF_ACTIONS,
    SEAL_HEADS,
    GST_INVOICES,
    GST_SUPPLIES,
    GST_HSN,
    GST_DOCUMENTS,
    TDS_DEDUCTIONS,
    TDS_QUARTERS,
    TDS_CERTIFICATES,
)
BY_NAME = {report.name: report for report in REPORTS}
# The scopes of tokens and their labels.
SCOPES = {report.name: report.title for report in REPORTS} | {
    FULL: "Tax numbers in full",
    CLOSE: "Close the days that are over",
}


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
