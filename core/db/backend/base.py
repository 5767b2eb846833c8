"""Django's backend for PostgreSQL, with settings for each new connection in OPTIONS.

Django looks for a backend in a module of this name.

A pool without a server retries every second. With the pool's own doubling pauses, processes did not
reconnect for seconds after a failover (7 s without pages although PostgreSQL was away for 3).
"""

from __future__ import annotations

from typing import Any

from django.db.backends.postgresql import base
from psycopg_pool.base import AttemptWithBackoff

# The pool has no parameter for it.
AttemptWithBackoff.DELAY_BACKOFF = 1.0


class DatabaseWrapper(base.DatabaseWrapper):
    """Connect as Django does, record whether statements are prepared, then set up the session.

    The settings are sent as a statement, because poolers refuse them in the startup packet. The
    role is one of them, because Django's `assume_role` does not work with its own pool.
    """

    def get_connection_params(self) -> dict[str, Any]:
        parameters: dict[str, Any] = super().get_connection_params()
        for ours in ("session", "pooler_prepares"):
            parameters.pop(ours, None)
        return parameters

    def _configure_connection(self, connection: Any) -> bool:
        needs_commit: bool = super()._configure_connection(connection)  # type: ignore[misc]
        options = self.settings_dict["OPTIONS"]
        connection.pooler_prepares = options.get("pooler_prepares", False)
        session: dict[str, str] = options.get("session", {})
        if not session:
            return needs_commit
        calls = ", ".join("set_config(%s, %s, false)" for _ in session)
        pairs = [part for pair in session.items() for part in pair]
        connection.execute(f"SELECT {calls}", pairs)
        return True
