"""Streamed CSV responses: rows are sent while later ones are read."""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, TypeVar

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, StreamingHttpResponse

Part = TypeVar("Part", str, bytes)

# Spreadsheets treat cells that begin with these characters as formulas.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def csv_response(
    request: HttpRequest,
    *,
    filename: str,
    columns: Sequence[str],
    chunks: Iterable[Iterable[Mapping[str, Any]]],
    headings: Sequence[str] | None = None,
    is_for_spreadsheets: bool = False,
) -> StreamingHttpResponse:
    """Return a CSV response that streams the rows of `chunks`.

    The first line has `headings`, or `columns` without them. Works under WSGI and ASGI.
    `is_for_spreadsheets` adds the signature of UTF-8, without which Excel misreads Hindi.
    """
    texts = _texts(columns, chunks, headings or columns)
    if is_for_spreadsheets:
        texts = chain([codecs.BOM_UTF8.decode()], texts)
    # Under ASGI Django reads a synchronous iterator to its end before it sends the first byte.
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
    """Return a cell's value; text that a spreadsheet would run as a formula gets an apostrophe."""
    if isinstance(value, str) and value.startswith(FORMULA_STARTS) and not _is_number(value):
        return f"'{value}"
    return value


def _is_number(text: str) -> bool:
    figures = text.lstrip("-").replace(".", "", 1)
    return figures.isascii() and figures.isdigit()


async def asynchronously(texts: Iterator[Part]) -> AsyncIterator[Part]:
    """Return a synchronous iterator as an asynchronous one; each step runs in a worker thread."""
    step = sync_to_async(lambda: next(texts, None))
    while (text := await step()) is not None:
        yield text
