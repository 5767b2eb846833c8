"""How the project reaches PostgreSQL: as which login, and what its connections are set to."""

from __future__ import annotations

import sys
from typing import Any, Final

from django.core.exceptions import ImproperlyConfigured

from config.environment import EPHEMERAL, env, whole

# Commands that change the schema run as its owner; everything else as the application.
OWNER_COMMANDS = frozenset(
    {"migrate", "makemigrations", "showmigrations", "flush", "dbshell", "rotate_payee_keys"}
    | {"rotate_identity_keys"}
    | {"backup", "restore", "archive_months", "distribute_tables"}
)
APP_ROLE: Final = "rummy_app"
# What the application's connections are limited to, so that a process that hangs does not stop the
# others. A transaction left idle ends before those that wait for its locks give up.
LIMITS: Final = {
    "idle_in_transaction_session_timeout": "10s",
    "lock_timeout": "15s",
    "statement_timeout": "30s",
}
# What each session of the application is set to, anew with each connection: a login may undo what
# ALTER ROLE gave it, for every session to come. pg_catalog comes first unless it is named.
SESSION: Final[dict[str, str]] = {**LIMITS, "search_path": "public, pg_temp"}
# A server that has gone without a word is noticed within half a minute (libpq's own settings).
KEEPALIVES: Final = {
    "connect_timeout": 10,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 4,
    "tcp_user_timeout": 30_000,
}
# Nothing is reached at it: commands that only read code need no server.
PLACEHOLDER: Final = "postgres:///rummy"


def is_reachable() -> bool:
    """Return whether the environment names a database."""
    return "DATABASE_URL" in env


def application() -> dict[str, Any]:
    """Return the settings of the database for this command."""
    return _reached(owner() if _is_owners_command() else _named("DATABASE_URL"))


def replica() -> dict[str, Any]:
    """Return the settings of the replica that answers reads, empty where none is named.

    It is reached as the primary is, and given up sooner: the primary can answer, too.
    """
    if "REPLICA_URL" not in env or _is_owners_command():
        return {}
    database = _reached(_named("REPLICA_URL"))
    database["OPTIONS"]["connect_timeout"] = database["OPTIONS"]["pool"]["timeout"] = 2
    return database


def _reached(database: dict[str, Any]) -> dict[str, Any]:
    """Add to what a URL names how the project reaches it."""
    role = database_role()
    pooler: str = env.str("DATABASE_POOLER", "")
    if pooler not in {"", "transaction"}:
        raise ImproperlyConfigured(f'DATABASE_POOLER is {pooler!r}: "transaction", or nothing')
    database["ENGINE"] = "core.db.backend"
    database["OPTIONS"] = {
        **KEEPALIVES,
        **database.get("OPTIONS", {}),
        # `core.db.pipeline` prepares; what psycopg prepares is forgotten at every rollback.
        "prepare_threshold": None,
    }
    if not _is_owners_command():  # Which need one connection, or the error that refused it.
        most = whole("DATABASE_POOL_MAX", 12, least=1, most=1_000)
        database["OPTIONS"]["pool"] = {"min_size": 1, "max_size": most, "timeout": 10}
    if not (pooler or _is_owners_command()):  # What one client sets there, another finds.
        database["OPTIONS"]["session"] = ({"role": role} if role else {}) | SESSION
    if pooler:
        if role:
            raise ImproperlyConfigured(
                "DATABASE_POOLER=transaction needs a login of the application's own in "
                "DATABASE_URL, and the owner's in DATABASE_OWNER_URL: a role that a client takes "
                "stays with the pooler's connection."
            )
        # A cursor on the server would be left behind on whichever connection it was opened on.
        database["DISABLE_SERVER_SIDE_CURSORS"] = True
        database["OPTIONS"]["pooler_prepares"] = env.bool("DATABASE_POOLER_PREPARES", False)
    return database


def owner() -> dict[str, Any]:
    """Return the database as its owner reaches it."""
    return _named("DATABASE_OWNER_URL" if "DATABASE_OWNER_URL" in env else "DATABASE_URL")


def database_role() -> str:
    """Return the role to take after connecting, "" to stay the login of the URL.

    Production has separate logins for owner and application. With one login for both, as in a demo
    and in tests, the application takes the role `rummy_app`, which separates nothing: the same
    connection can go back to its login.
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
