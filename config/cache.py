"""How values are written to the cache: as JSON, which runs nothing when it is read."""

from __future__ import annotations

import json
from typing import Any


class JsonSerializer:
    """Writes JSON where Django writes pickles: a written cache must not run code in a web process.

    Raise `TypeError` for a value that JSON cannot hold. Integers stay plain, so that Redis counts.
    """

    def dumps(self, obj: Any) -> bytes | int:
        if type(obj) is int:  # A bool is none.
            return obj
        return json.dumps(obj).encode()

    def loads(self, data: bytes) -> Any:
        return json.loads(data)
