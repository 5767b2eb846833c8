"""Write a financial year to a folder: every report in every format, with totals and hashes.

Rows are written as they are read, with one chunk in memory at a time.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from django.conf import settings

from core.db.long_statements import long_statements
from finance.exceptions import BooksDiffer, YearNotClosed
from finance.reports.catalogue import REPORTS
from finance.reports.exports.files import BOOKS, SHEET, file_name, file_parts, formats_of
from finance.reports.frame.formats import SHEET_ROWS_MAX, Counted
from finance.reports.frame.models import DailyClose
from finance.reports.frame.periods import SITE_ZONE, Period
from finance.reports.frame.report import Question, Report
from finance.taxes.offline_tool import SECTIONS
from wallet.tax.arithmetic import first_day, last_day, year_name
from wallet.tax.withholding import players_to_settle

MANIFEST = "manifest.json"


def write_year(*, year: int, folder: Path, shows_tax_numbers: bool = False) -> Iterator[Path]:
    """Write the financial year that begins in April of `year`; yield each file written.

    The manifest comes last; a folder without one is incomplete. Raise `YearNotClosed`
    before the year's last day is closed, `BooksDiffer` if the control totals do not agree, and
    `FileExistsError` rather than overwrite a file.
    """
    if not DailyClose.objects.filter(day=last_day(year)).exists():
        raise YearNotClosed(f"{last_day(year)} is not closed yet")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    period = Period(first_day(year), last_day(year), SITE_ZONE)
    files, totals = [], {}
    with long_statements():
        for report in REPORTS:
            if report.wants_file:
                continue
            question = Question.asked(period, has_late_entries=report.has_late_entries)
            question = replace(
                question, shows_tax_numbers=shows_tax_numbers and report.has_tax_numbers
            )
            totals[report.name] = report.totals(question)
            rows = 0
            for chosen in formats_of(report):
                if chosen == SHEET and rows > SHEET_ROWS_MAX:
                    continue  # The CSV, written before, has all rows.
                if chosen in SECTIONS:
                    continue  # Sections of a month's return.
                written = _write(folder, report, chosen, question)
                rows = written["rows"]
                files.append(written)
                yield folder / written["name"]
        _refuse_differences(totals)
        manifest = {
            "site": settings.SITE_NAME,
            "financial_year": year_name(year),
            "generated_at": question.generated_at.isoformat(),
            "control_hash": DailyClose.objects.get(day=last_day(year)).control_hash,
            "players_not_settled": {
                currency: len(players_to_settle(currency=currency, year=year))
                for currency in settings.CASH_CURRENCIES
            },
            "control_totals": totals,
            "files": files,
        }
    path = folder / MANIFEST
    with path.open("x") as file:
        file.write(json.dumps(manifest, indent=1, sort_keys=True) + "\n")
    yield path


def _write(folder: Path, report: Report, chosen: str, question: Question) -> dict[str, Any]:
    """Write one file; return its line of the manifest."""
    path = folder / file_name(report.name, chosen, question.period)
    if chosen in BOOKS:  # Two of these formats have extensions of others: .csv and .xml.
        path = path.with_name(f"{path.stem}_{chosen}{path.suffix}")
    count, digest, size = Counted(), hashlib.sha256(), 0
    with path.open("xb") as file:
        for part in file_parts(report, chosen, question, count):
            digest.update(part)
            size += file.write(part)
    return {
        "name": path.name,
        "report": report.name,
        "format": chosen,
        "rows": count.rows,
        "bytes": size,
        "sha256": digest.hexdigest(),
    }


def _refuse_differences(totals: dict[str, Any]) -> None:
    """Raise `BooksDiffer` if the totals of journal and trial balance differ."""
    for currency, of in totals["trial-balance"].items():
        journal = totals["journal"].get(currency, {"in_minor": 0, "out_minor": 0})
        moved = {journal["in_minor"], journal["out_minor"], of["in_minor"], of["out_minor"]}
        if len(moved) > 1 or of["opening_minor"] or of["closing_minor"]:
            raise BooksDiffer(f"the totals of {currency} do not agree")
