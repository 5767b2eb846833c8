"""How values are written to the cache: as JSON, which runs nothing when it is read."""

from __future__ import annotations

import json
from typing import Any, Final

from django.utils.functional import Promise
from unfold.dataclasses import SearchResult

# The only key of what stands for a result of the admin's search.
SEARCH_RESULT: Final = "unfold.dataclasses.SearchResult"


class JsonSerializer:
    """Writes JSON where Django writes pickles: a written cache must not run code in a web process.

    Results of the admin's search come back as such, and texts translated late as plain text in the
    language of the moment. Raise `TypeError` for any other value that JSON cannot hold. Integers
    stay plain, so that Redis counts.
    """

    def dumps(self, obj: Any) -> bytes | int:
        if type(obj) is int:  # A bool is none.
            return obj
        return json.dumps(obj, default=_in_json).encode()

    def loads(self, data: bytes) -> Any:
        return json.loads(data, object_hook=_from_json)


def _in_json(value: Any) -> Any:
    if isinstance(value, SearchResult):
        return {SEARCH_RESULT: vars(value)}
    if isinstance(value, Promise):
        return str(value)
    raise TypeError(f"{type(value).__name__} is no value for the cache")


def _from_json(found: dict[str, Any]) -> Any:
    return SearchResult(**found[SEARCH_RESULT]) if found.keys() == {SEARCH_RESULT} else found
