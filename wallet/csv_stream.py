"""Rows as CSV, sent while they are read."""

from __future__ import annotations

import csv
import io
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from typing import Any

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, StreamingHttpResponse
from rest_framework.renderers import JSONRenderer

# A spreadsheet takes cells that begin like this for formulas.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


class CSVRenderer(JSONRenderer):
    """Lets a client ask for CSV; refusals are still told as JSON."""

    media_type = "text/csv"
    format = "csv"

    def render(
        self,
        data: Any,
        accepted_media_type: str | None = None,
        renderer_context: Mapping[str, Any] | None = None,
    ) -> bytes:
        if renderer_context:
            renderer_context["response"]["Content-Type"] = JSONRenderer.media_type
        told: bytes = super().render(data, accepted_media_type, renderer_context)
        return told


def csv_response(
    request: HttpRequest,
    *,
    filename: str,
    columns: Sequence[str],
    chunks: Iterable[Iterable[Mapping[str, Any]]],
) -> StreamingHttpResponse:
    """Stream rows chunk by chunk, under either kind of server."""
    texts = _texts(columns, chunks)
    # Django reads a plain iterator to its end before an ASGI server sends the first byte.
    body = _asynchronously(texts) if isinstance(request, ASGIRequest) else texts
    response = StreamingHttpResponse(body, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{filename}"'
    return response


def _texts(columns: Sequence[str], chunks: Iterable[Iterable[Mapping[str, Any]]]) -> Iterator[str]:
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow(columns)
    for rows in chunks:
        writer.writerows([_harmless(row[column]) for column in columns] for row in rows)
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()
    yield buffer.getvalue()


def _harmless(value: Any) -> Any:
    if isinstance(value, str) and value.startswith(FORMULA_STARTS) and not _is_number(value):
        return f"'{value}"
    return value


def _is_number(text: str) -> bool:
    return text.lstrip("-").replace(".", "", 1).isdigit()


async def _asynchronously(texts: Iterator[str]) -> AsyncIterator[str]:
    step = sync_to_async(lambda: next(texts, None))
    while (text := await step()) is not None:
        yield text
