"""Write a report to a file in the format chosen by `?format=` or `Accept`, and record it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from typing import IO, Any

from django.conf import settings
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, StreamingHttpResponse
from rest_framework.renderers import JSONRenderer

from core.clock import database_now
from core.http import problems
from core.http.csv_stream import asynchronously
from finance.books.formats import ledger_parts, tally_parts, zoho_parts
from finance.exceptions import SiteDaysOnly
from finance.reports.catalogue import Reader, columns_of
from finance.reports.exports.models import Export, ExportJob
from finance.reports.frame.formats import Counted, csv_parts, parts_of, sheet_parts
from finance.reports.frame.periods import SITE_ZONE, Period
from finance.reports.frame.report import Question, Report
from finance.reports.journal.beancount import beancount_file
from finance.taxes.offline_tool import SECTIONS


class FileRenderer(JSONRenderer):
    """The base of a class per file format; the view writes the file, DRF renders only errors."""

    def render(
        self,
        data: Any,
        accepted_media_type: str | None = None,
        renderer_context: Mapping[str, Any] | None = None,
    ) -> bytes:
        if renderer_context:
            renderer_context["response"]["Content-Type"] = problems.CONTENT_TYPE
        body: bytes = super().render(data, accepted_media_type, renderer_context)
        return body


# File formats of all reports, and of the journal for accounting programs.
CSV, SHEET = "csv", "xlsx"
BOOKS: dict[str, Callable[[Question, Counted], Iterator[bytes]]] = {
    "beancount": beancount_file,
    "ledger": ledger_parts,
    "tally": tally_parts,
    "zoho": zoho_parts,
}
MEDIA_TYPES = {
    CSV: "text/csv",
    SHEET: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "beancount": "text/x-beancount",
    "ledger": "text/x-ledger",
    "tally": "application/xml",
    "zoho": "text/x-zoho-csv",
    **{name: f"text/x-{name}-csv" for name in SECTIONS},
}
# File extensions of formats with another name.
ENDINGS = {"tally": "xml", "zoho": "csv", **dict.fromkeys(SECTIONS, "csv")}
RENDERERS: tuple[type[FileRenderer], ...] = tuple(
    type("FileRenderer", (FileRenderer,), {"format": name, "media_type": media_type})
    for name, media_type in MEDIA_TYPES.items()
)


def formats_of(report: Report) -> tuple[str, ...]:
    """Return the file formats of a report.

    The journal has those of accounting programs, GST registers those of the offline tool.
    """
    books = BOOKS if report.name == "journal" else ()
    sections = (name for name, one in SECTIONS.items() if one.report == report.name)
    return (CSV, SHEET, *books, *sections)


def file_parts(report: Report, chosen: str, question: Question, count: Counted) -> Iterator[bytes]:
    """Return the parts of the file; raise `SiteDaysOnly`, `TooManyRows` or a section's errors."""
    if chosen == SHEET:
        return sheet_parts(report, question, count)
    if chosen in BOOKS:
        return BOOKS[chosen](question, count)
    if chosen in SECTIONS:
        return SECTIONS[chosen].parts(question, count)
    return csv_parts(report, question, count)


def file_name(report: str, chosen: str, period: Period) -> str:
    """Return a file's name: site, report (or section of the return) and days."""
    report = chosen if chosen in SECTIONS else report
    first = period.first.isoformat() if period.first else "beginning"
    site = re.sub(r"[^A-Za-z0-9]+", "-", settings.SITE_NAME).strip("-").lower()
    ending = ENDINGS.get(chosen, chosen)
    return f"{site}_{report}_{first}_{period.last.isoformat()}.{ending}"


def file_response(
    request: HttpRequest, parts: Iterator[bytes], *, name: str, chosen: str, period: Period
) -> StreamingHttpResponse:
    """Return a streaming response under WSGI or ASGI."""
    # Under ASGI, Django reads a plain iterator to its end before it sends the first byte.
    body = asynchronously(parts) if isinstance(request, ASGIRequest) else parts
    content_type = MEDIA_TYPES[chosen]
    if content_type.startswith("text/"):
        content_type += "; charset=utf-8"
    response = StreamingHttpResponse(body, content_type=content_type)
    file = file_name(name, chosen, period)
    response["Content-Disposition"] = f'attachment; filename="{file}"'
    return response


def send_report(
    request: HttpRequest,
    report: Report,
    question: Question,
    *,
    chosen: str,
    reader: Reader,
    filters: str,
) -> StreamingHttpResponse:
    """Return a report as a file, and record who read it; raise like `file_parts`."""
    refuse_other_days(chosen, question.period)
    export = Export.objects.create(
        **columns_of(reader), report=report.name, format=chosen, filters=filters
    )
    count = Counted()
    parts = recorded(file_parts(report, chosen, question, count), export=export, count=count)
    return file_response(request, parts, name=report.name, chosen=chosen, period=question.period)


def send_finished(
    request: HttpRequest, job: ExportJob, file: IO[bytes], *, reader: Reader
) -> StreamingHttpResponse:
    """Return the file of a finished job, and record who downloaded it."""
    export = Export.objects.create(
        **columns_of(reader),
        report=job.report,
        format=job.format,
        filters=f"{job.filters}&export={job.public_id}",
    )
    count = Counted(job.rows_done)
    parts = recorded(parts_of(file), export=export, count=count)
    period = Period(job.first_day, job.last_day, job.tz)
    answer = file_response(request, parts, name=job.report, chosen=job.format, period=period)
    answer["Content-Length"] = str(job.size_bytes)
    return answer


def refuse_other_days(chosen: str, period: Period) -> None:
    """Raise `SiteDaysOnly` for a book format in another time zone than the site's."""
    if chosen in BOOKS and not period.is_site_zone:
        raise SiteDaysOnly(f"{chosen} is available only for days of {SITE_ZONE}")


def finish_export(*, export: Export, rows: int, sha256: str) -> None:
    """Add the number of rows and the SHA-256 of the bytes that were sent."""
    Export.objects.filter(pk=export.pk, finished_at=None).update(
        finished_at=database_now(), rows=rows, sha256=sha256
    )


def recorded(parts: Iterator[bytes], *, export: Export, count: Counted) -> Iterator[bytes]:
    """Yield the parts of a response, whose record was made before, and finish it after the last."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part)
        yield part
    finish_export(export=export, rows=count.rows, sha256=digest.hexdigest())
