"""Database logins as in production; the tests themselves connect as the owner."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from django.db import connection

LIMITS = {
    "idle_in_transaction_session_timeout": "10s",
    "lock_timeout": "15s",
    "statement_timeout": "30s",
}
KINDS = ("web", "settle", "intake")
APP_ROLE = "rummy_app"


REFUSED = "refused"


def protecting(outcome: str, kind: str) -> set[str]:
    """Return what may come of a forged statement of persons, as a login of this kind tries it.

    `outcome` is what comes of it for a web process, a check's name or `REFUSED`. Settlement may do
    less than that, and the intake nothing at all.
    """
    return {"web": {outcome}, "settle": {outcome, REFUSED}, "intake": {REFUSED}}[kind]


@contextmanager
def as_owner() -> Iterator[None]:
    """Act as the owner of the schema on this thread's connection."""
    with connection.cursor() as cursor:
        cursor.execute("RESET ROLE")
    try:
        yield
    finally:
        if not connection.needs_rollback:
            with connection.cursor() as cursor:
                cursor.execute(f"SET ROLE {APP_ROLE}")


def where(**overrides: Any) -> dict[str, Any]:
    """Return how psycopg reaches the tests' database."""
    settings = connection.settings_dict
    keys = {"dbname": "NAME", "user": "USER", "password": "PASSWORD", "host": "HOST"}
    found = {name: settings[key] for name, key in keys.items() if settings[key]}
    found |= {"port": settings["PORT"]} if settings["PORT"] else {}
    host = settings["OPTIONS"].get("host")
    return found | ({"host": host} if host else {}) | overrides


@contextmanager
def app_login(kind: str, *, limits: dict[str, str] = LIMITS, member_of: str = "") -> Iterator[str]:
    """Make a login of one kind of process, with its limits set on the server.

    `kind` is "web", "settle" or "intake": the login is a member of `rummy_app_<kind>` and of
    nothing else, or of `member_of`.
    """
    name = f"rummy_test_{kind}"
    with psycopg.connect(**where(), autocommit=True) as maker:
        maker.execute(f"DROP ROLE IF EXISTS {name}")
        maker.execute(f"CREATE ROLE {name} LOGIN IN ROLE {member_of or f'{APP_ROLE}_{kind}'}")
        maker.execute(f"GRANT {name} TO CURRENT_USER")  # Who ends its sessions that hang.
        for setting, value in limits.items():
            maker.execute(f"ALTER ROLE {name} SET {setting} = '{value}'")
        try:
            yield name
        finally:
            maker.execute(f"DROP ROLE {name}")


@contextmanager
def web_login(*, limits: dict[str, str] = LIMITS, member_of: str = "") -> Iterator[str]:
    """Make a login as the site's pages have."""
    with app_login("web", limits=limits, member_of=member_of) as login:
        yield login


@contextmanager
def connected_as(login: str, **session: str) -> Iterator[None]:
    """Let Django connect with this login, and set its session as `OPTIONS["session"]` does."""
    settings = connection.settings_dict
    user, options = settings["USER"], settings["OPTIONS"]
    connection.close()
    settings["USER"] = login
    settings["OPTIONS"] = {k: v for k, v in options.items() if k != "assume_role"}
    if session:
        settings["OPTIONS"]["session"] = session
    try:
        yield
    finally:
        connection.close()
        settings["USER"], settings["OPTIONS"] = user, options
