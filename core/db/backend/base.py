"""Django's backend for PostgreSQL, with settings for each new connection in OPTIONS.

Django looks for a backend in a module of this name.

A pool whose server is away asks for it again every second. Its own pauses double each time: when a
replica had been promoted for seconds, processes still waited to ask (7 s without a page, of which
PostgreSQL was away for 3).
"""

from __future__ import annotations

from typing import Any

from django.db.backends.postgresql import base
from psycopg_pool.base import AttemptWithBackoff

# No parameter of the pool's says so.
AttemptWithBackoff.DELAY_BACKOFF = 1.0


class DatabaseWrapper(base.DatabaseWrapper):
    """Connects as Django does, tells `core.db.pipeline` whether to prepare, then sets the session.

    The settings are sent as a statement: poolers refuse a connection that names them in its startup
    packet. Django's `assume_role` does not work with its own pool, so the role is one of them.
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
