"""Rows as CSV, sent while they are read."""

from __future__ import annotations

import csv
import io
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, StreamingHttpResponse

Part = TypeVar("Part", str, bytes)

# A spreadsheet takes cells that begin like this for formulas.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def csv_response(
    request: HttpRequest,
    *,
    filename: str,
    columns: Sequence[str],
    chunks: Iterable[Iterable[Mapping[str, Any]]],
    headings: Sequence[str] | None = None,
) -> StreamingHttpResponse:
    """Stream rows chunk by chunk, under either kind of server; `headings` name the columns."""
    texts = _texts(columns, chunks, headings or columns)
    # Django reads a plain iterator to its end before an ASGI server sends the first byte.
    body = asynchronously(texts) if isinstance(request, ASGIRequest) else texts
    response = StreamingHttpResponse(body, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{filename}"'
    return response


def _texts(
    columns: Sequence[str],
    chunks: Iterable[Iterable[Mapping[str, Any]]],
    headings: Sequence[str],
) -> Iterator[str]:
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow(headings)
    for rows in chunks:
        writer.writerows([harmless(row[column]) for column in columns] for row in rows)
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()
    yield buffer.getvalue()


def harmless(value: Any) -> Any:
    """Return a cell as it is, or with an apostrophe before what would be run as a formula."""
    if isinstance(value, str) and value.startswith(FORMULA_STARTS) and not _is_number(value):
        return f"'{value}"
    return value


def _is_number(text: str) -> bool:
    figures = text.lstrip("-").replace(".", "", 1)
    return figures.isascii() and figures.isdigit()


async def asynchronously(texts: Iterator[Part]) -> AsyncIterator[Part]:
    """Let an ASGI server take a plain iterator step by step, each step in a worker thread."""
    step = sync_to_async(lambda: next(texts, None))
    while (text := await step()) is not None:
        yield text
