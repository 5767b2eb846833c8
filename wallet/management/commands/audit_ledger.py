"""Recompute the ledger; on a difference, report it, freeze withdrawals and exit with 1."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand

from wallet.audit.audit import Report
from wallet.audit.freezes import check_books, check_new_rows
from wallet.audit.models import AuditRun


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="print one JSON line")
        parser.add_argument(
            "--head",
            default="",
            help="a hash from `seal_ledger --head`, required in the chain",
        )

        parser.add_argument(
            "--since-last-clean",
            action="store_true",
            help="audit the rows since the last clean full audit; without one, audit everything",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        check = check_new_rows if options["since_last_clean"] else check_books
        report = check(published_head=options["head"])
        self.stdout.write(_as_json(report) if options["json"] else _as_text(report))
        if not report.is_clean:
            sys.exit(1)


def _as_json(report: Report) -> str:
    return json.dumps({"ok": report.is_clean, **asdict(report)})


def _as_text(report: Report) -> str:
    new = " new" if report.kind == AuditRun.Kind.SHORT else ""
    size = (
        f"{report.transfers}{new} transfers, {report.entries} entries, {report.accounts} accounts"
    )
    notes = "".join(f"\n  {note}" for note in report.notes)
    if report.is_clean:
        return f"Ledger balanced: {size}, {report.stakes} stakes in {report.seconds} s.{notes}"
    differences = "\n".join(f"  {finding}" for finding in report.findings)
    found = f"{len(report.findings)} differences in {size}"
    return f"{found}; withdrawals are frozen:\n{differences}{notes}"
