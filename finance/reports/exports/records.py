"""Record every report that is sent: a row before the first byte, its hash after the last."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from core.clock import database_now
from finance.reports.exports.models import Export
from finance.reports.frame.formats import Counted
from finance.tokens.models import FinanceToken


def begin_export(*, token: FinanceToken, report: str, format: str, filters: str) -> Export:  # noqa: A002
    """Create the record of a response before its first byte is sent."""
    return Export.objects.create(token=token, report=report, format=format, filters=filters)


def finish_export(*, export: Export, rows: int, sha256: str) -> None:
    """Add the number of rows and the SHA-256 of the bytes that were sent."""
    Export.objects.filter(pk=export.pk, finished_at=None).update(
        finished_at=database_now(), rows=rows, sha256=sha256
    )


def noted(parts: Iterator[bytes], *, export: Export, count: Counted) -> Iterator[bytes]:
    """Yield the parts of a response, and finish its record after the last one."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part)
        yield part
    finish_export(export=export, rows=count.rows, sha256=digest.hexdigest())
