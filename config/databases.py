"""The connection to PostgreSQL: its login and the settings of its sessions."""

from __future__ import annotations

import sys
from typing import Any, Final

from django.core.exceptions import ImproperlyConfigured

from config.environment import EPHEMERAL, env, whole

# Commands that change the schema run as its owner; all others as the application.
OWNER_COMMANDS = frozenset(
    {"migrate", "makemigrations", "showmigrations", "flush", "dbshell", "rotate_payee_keys"}
    | {"rotate_identity_keys"}
    | {"backup", "restore", "upgrade", "archive_months", "distribute_tables"}
)
APP_ROLE: Final = "rummy_app"
# Timeouts of the application's connections, so that a process that hangs does not stop the others.
# An idle transaction ends before those that wait for its locks time out.
LIMITS: Final = {
    "idle_in_transaction_session_timeout": "10s",
    "lock_timeout": "15s",
    "statement_timeout": "30s",
}
# Settings of each session of the application, set on every new connection: a login may undo its
# ALTER ROLE settings for all later sessions. pg_catalog comes first unless it is named.
SESSION: Final[dict[str, str]] = {**LIMITS, "search_path": "public, pg_temp"}
# Detect within half a minute a server that vanished without closing the connection (libpq).
KEEPALIVES: Final = {
    "connect_timeout": 10,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 4,
    "tcp_user_timeout": 30_000,
}
# Seconds after which the pool closes a connection that it did not need, and one that it did: the
# server's process of a connection keeps the plans of all its statements, 10 MB and more.
IDLE_SECONDS: Final = 60.0
LIFETIME_SECONDS: Final = 900.0
# A placeholder: commands that only read code need no server.
PLACEHOLDER: Final = "postgres:///rummy"


def is_reachable() -> bool:
    """Return whether the environment names a database."""
    return "DATABASE_URL" in env


def application() -> dict[str, Any]:
    """Return the settings of the database for this command."""
    return _reached(owner() if _is_owners_command() else _named("DATABASE_URL"))


def replica() -> dict[str, Any]:
    """Return the settings of the read replica, empty without `REPLICA_URL`.

    Its timeouts are shorter than the primary's, because the primary can answer too.
    """
    if "REPLICA_URL" not in env or _is_owners_command():
        return {}
    database = _reached(_named("REPLICA_URL"))
    database["OPTIONS"]["connect_timeout"] = database["OPTIONS"]["pool"]["timeout"] = 2
    return database


def _reached(database: dict[str, Any]) -> dict[str, Any]:
    """Return a URL's connection settings with the project's session settings and pooling."""
    role = database_role()
    pooler: str = env.str("DATABASE_POOLER", "")
    if pooler not in {"", "transaction"}:
        raise ImproperlyConfigured(f'DATABASE_POOLER is {pooler!r}: "transaction", or nothing')
    database["ENGINE"] = "core.db.backend"
    database["OPTIONS"] = {
        **KEEPALIVES,
        **database.get("OPTIONS", {}),
        # `core.db.pipeline` prepares statements; psycopg's are discarded at every rollback.
        "prepare_threshold": None,
    }
    if (
        not _is_owners_command()
    ):  # These commands need a single connection, or the error that refused it.
        most = whole("DATABASE_POOL_MAX", 12, least=1, most=1_000)
        database["OPTIONS"]["pool"] = {
            "min_size": 1,
            "max_size": most,
            "timeout": 10,
            "max_idle": IDLE_SECONDS,
            "max_lifetime": LIFETIME_SECONDS,
        }
    if not (
        pooler or _is_owners_command()
    ):  # Session settings would leak to other clients of the pooler.
        database["OPTIONS"]["session"] = ({"role": role} if role else {}) | SESSION
    if pooler:
        if role:
            raise ImproperlyConfigured(
                "DATABASE_POOLER=transaction needs a login of the application's own in "
                "DATABASE_URL, and the owner's in DATABASE_OWNER_URL: a role that a client takes "
                "stays with the pooler's connection."
            )
        # Server-side cursors need one connection for all their statements.
        database["DISABLE_SERVER_SIDE_CURSORS"] = True
        database["OPTIONS"]["pooler_prepares"] = env.bool("DATABASE_POOLER_PREPARES", False)
    return database


def owner() -> dict[str, Any]:
    """Return the database's settings with the owner's login."""
    return _named("DATABASE_OWNER_URL" if "DATABASE_OWNER_URL" in env else "DATABASE_URL")


def database_role() -> str:
    """Return the role to take after connecting, "" to keep the login of the URL.

    Production has separate logins for owner and application. With one login for both, as in a demo
    and in tests, the application takes the role `rummy_app`, which is no protection: the same
    connection can return to its login.
    """
    if _is_owners_command():
        return ""
    role: str = env.str("DATABASE_ROLE", "" if "DATABASE_OWNER_URL" in env else APP_ROLE)
    return role


def _is_owners_command() -> bool:
    command = sys.argv[1] if len(sys.argv) > 1 and sys.argv[0].endswith("manage.py") else ""
    return command in OWNER_COMMANDS


def _named(variable: str) -> dict[str, Any]:
    default = {"default": PLACEHOLDER} if EPHEMERAL else {}
    database: dict[str, Any] = env.db(variable, **default)
    return database
