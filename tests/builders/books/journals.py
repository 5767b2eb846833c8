"""The journal of a period, once from the database and once from Python."""

from __future__ import annotations

from dataclasses import replace

from finance.reports.frame.formats import Counted, csv_parts
from finance.reports.frame.periods import Period
from finance.reports.frame.report import Question
from finance.reports.journal.journal import JOURNAL


def both(period: Period) -> tuple[bytes, bytes]:
    """Return the journal as the database writes it, and as Python does."""
    question = Question.asked(period)
    return tuple(
        b"".join(csv_parts(report, question, Counted()))
        for report in (JOURNAL, replace(JOURNAL, csv_lines=None))
    )
