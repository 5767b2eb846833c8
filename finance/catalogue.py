"""All reports by name; each opens to tokens with the scope of the same name."""

from __future__ import annotations

from finance.frame import Report
from finance.reports.journal import JOURNAL
from finance.reports.trial_balance import TRIAL_BALANCE

REPORTS: tuple[Report, ...] = (JOURNAL, TRIAL_BALANCE)
