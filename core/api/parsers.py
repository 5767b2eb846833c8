"""Parsers of API request bodies.

REST framework's views import this module when they load, so it must not import them.
"""

from __future__ import annotations

import codecs
from typing import Any

from django.conf import settings
from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser, MultiPartParser

from core.api.body_fields import known_fields, refuse_unknown_fields
from core.json_text import DoubledName, read_json


class StrictJSONParser(JSONParser):
    """Parse JSON; refuse deep nesting, duplicate names and unknown fields."""

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:
        encoding = (parser_context or {}).get("encoding", settings.DEFAULT_CHARSET)
        try:
            body = read_json(codecs.getreader(encoding)(stream).read())
        except DoubledName as error:
            raise ParseError(f"JSON parse error - {error}", code="doubled_name") from error
        except ValueError as error:
            raise ParseError(f"JSON parse error - {error}") from error
        except RecursionError as error:
            raise ParseError("The body is nested too deeply.") from error
        _refuse_unknown(body, parser_context)
        return body


class UploadParser(MultiPartParser):
    """Parse a form with files; refuse unknown fields."""

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:
        sent = super().parse(stream, media_type, parser_context)
        _refuse_unknown({**sent.data, **sent.files}, parser_context)
        return sent


def _refuse_unknown(body: Any, context: Any) -> None:
    view: Any = type(context["view"])
    refuse_unknown_fields(body, known_fields(view, context["request"].method))
