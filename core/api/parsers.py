"""How the API reads a body.

REST framework's views import this module while they load, so it must not import them.
"""

from __future__ import annotations

from typing import Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser, MultiPartParser

from core.api.body_fields import known_fields, refuse_unknown_fields


class BoundedJSONParser(JSONParser):
    """Refuses a body that is nested too deeply to be read, and fields the view does not know."""

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:
        try:
            body = super().parse(stream, media_type, parser_context)
        except RecursionError as error:
            raise ParseError("The body is nested too deeply.") from error
        _refuse_unknown(body, parser_context)
        return body


class UploadParser(MultiPartParser):
    """Reads a form with files, and refuses fields the view does not know."""

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:
        sent = super().parse(stream, media_type, parser_context)
        _refuse_unknown({**sent.data, **sent.files}, parser_context)
        return sent


def _refuse_unknown(body: Any, context: Any) -> None:
    view: Any = type(context["view"])
    refuse_unknown_fields(body, known_fields(view, context["request"].method))
