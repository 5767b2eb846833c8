"""Sessions in the database, read with their player by one planned statement.

Everything else is Django's own. Nothing is believed that was not read for this very request: all
that is remembered is whose session it was the last time, so that both can be asked for at once.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any, Final

from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore as DatabaseStore
from django.utils import timezone

from players.models import User
from players.planned import Planned, columns, kept

REMEMBERED: Final = 10_000
_READ: Final = Planned(
    f"SELECT s.session_data, {columns('u', User)} FROM django_session s"  # noqa: S608
    " LEFT JOIN players_user u ON u.id = %s WHERE s.session_key = %s AND s.expire_date > %s"
)
_players: Final[dict[str, int]] = {}


class SessionStore(DatabaseStore):
    """Keeps its name: what a session is signed with is made of it."""

    # Whom `load` has read along with the session, if anybody.
    player: User | None = None

    def load(self) -> dict[str, Any]:
        key = str(self.session_key)
        found = _READ.rows(_players.get(key), key, timezone.now())
        if not found:
            self._session_key = None
            return {}
        data, *player = found[0]
        self.player = kept(User, tuple(player)) if player[0] is not None else None
        content: dict[str, Any] = json.loads(_content(data))
        _remember(key, content.get(SESSION_KEY))
        return content


def _remember(key: str, player: Any) -> None:
    if not str(player).isdecimal() or _players.get(key) == int(player):
        return
    if len(_players) >= REMEMBERED:
        _players.clear()
    _players[key] = int(player)


@lru_cache(maxsize=4096)
def _content(data: str) -> str:
    """Return what the signed text says; the same text always says the same."""
    return json.dumps(SessionStore().decode(data))
