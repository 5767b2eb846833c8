"""Renderers chosen by `?format=` or `Accept`; refusals are always JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rest_framework.renderers import JSONRenderer


class FileRenderer(JSONRenderer):
    """Names a format whose answers the view writes itself; what DRF renders is a refusal."""

    def render(
        self,
        data: Any,
        accepted_media_type: str | None = None,
        renderer_context: Mapping[str, Any] | None = None,
    ) -> bytes:
        if renderer_context:
            renderer_context["response"]["Content-Type"] = JSONRenderer.media_type
        body: bytes = super().render(data, accepted_media_type, renderer_context)
        return body


class CSVRenderer(FileRenderer):
    media_type = "text/csv"
    format = "csv"


class SheetRenderer(FileRenderer):
    media_type = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
    format = "xlsx"


class BeancountRenderer(FileRenderer):
    media_type = "text/x-beancount"
    format = "beancount"
