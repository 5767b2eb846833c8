"""All reports by name; a token needs the scope of the same name to read one."""

from __future__ import annotations

from finance.closing.actions import CLOSE
from finance.matching.gateways.report import GATEWAY_RECONCILIATION
from finance.matching.report import BANK_RECONCILIATION
from finance.reports.definitions.adjustments import ADJUSTMENTS
from finance.reports.definitions.bonus_liability import BONUS_LIABILITY
from finance.reports.definitions.daily_close import DAILY_CLOSE
from finance.reports.definitions.games import GAMES, TOURNAMENTS
from finance.reports.definitions.player_liability import PLAYER_LIABILITY
from finance.reports.definitions.rake import RAKE
from finance.reports.definitions.receivables import RECEIVABLES
from finance.reports.definitions.staff_actions import SEAL_HEADS, STAFF_ACTIONS
from finance.reports.definitions.trial_balance import TRIAL_BALANCE
from finance.reports.definitions.withdrawals import WITHDRAWALS
from finance.reports.frame.report import FULL, Report
from finance.reports.journal.journal import JOURNAL
from finance.taxes.gst import GST_INVOICES, GST_SUPPLIES
from finance.taxes.gst_tables import GST_DOCUMENTS, GST_HSN
from finance.taxes.tds import TDS_CERTIFICATES, TDS_DEDUCTIONS, TDS_QUARTERS

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
