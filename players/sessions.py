"""Sessions in the database, read by one planned statement; everything else is Django's own."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any, Final

from django.contrib.sessions.backends.db import SessionStore as DatabaseStore
from django.utils import timezone

from players.planned import Planned

_READ: Final = Planned(
    "SELECT session_data FROM django_session WHERE session_key = %s AND expire_date > %s"
)


class SessionStore(DatabaseStore):
    """Keeps its name: what a session is signed with is made of it."""

    def load(self) -> dict[str, Any]:
        found = _READ.rows(self.session_key, timezone.now())
        if not found:
            self._session_key = None
            return {}
        content: dict[str, Any] = json.loads(_content(found[0][0]))
        return content


@lru_cache(maxsize=4096)
def _content(data: str) -> str:
    """Return what the signed text says; the same text always says the same."""
    return json.dumps(SessionStore().decode(data))
