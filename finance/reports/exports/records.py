"""Writes down what is given out: before the first byte that, after the last byte what exactly."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from core.clock import database_now
from finance.reports.exports.models import Export
from finance.reports.frame.formats import Counted
from finance.tokens.models import FinanceToken


def begin_export(*, token: FinanceToken, report: str, format: str, filters: str) -> Export:  # noqa: A002
    """Note that a token's bearer is about to get a report."""
    return Export.objects.create(token=token, report=report, format=format, filters=filters)


def finish_export(*, export: Export, rows: int, sha256: str) -> None:
    """Note what the bearer got, to the byte."""
    Export.objects.filter(pk=export.pk, finished_at=None).update(
        finished_at=database_now(), rows=rows, sha256=sha256
    )


def noted(parts: Iterator[bytes], *, export: Export, count: Counted) -> Iterator[bytes]:
    """Pass an answer on part by part, and note it once the last one has gone."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part)
        yield part
    finish_export(export=export, rows=count.rows, sha256=digest.hexdigest())
