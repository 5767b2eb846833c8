"""How the API reads a body.

REST framework's views import this module while they load, so it must not import them.
"""

from __future__ import annotations

import codecs
from typing import Any

from django.conf import settings
from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser

from core.json_text import DoubledName, read_json


class StrictJSONParser(JSONParser):
    """Refuses, as malformed, a body that is nested too deeply or names a member twice."""

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:
        encoding = (parser_context or {}).get("encoding", settings.DEFAULT_CHARSET)
        try:
            return read_json(codecs.getreader(encoding)(stream).read())
        except DoubledName as error:
            raise ParseError(f"JSON parse error - {error}", code="doubled_name") from error
        except ValueError as error:
            raise ParseError(f"JSON parse error - {error}") from error
        except RecursionError as error:
            raise ParseError("The body is nested too deeply.") from error
