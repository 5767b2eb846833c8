"""Deployment checks of the application's login, run by `manage.py check --deploy`."""

from __future__ import annotations

from typing import Any, Final

from django.core.checks import CheckMessage, Error, register
from django.core.checks import Warning as Caution
from django.db import DatabaseError, connection

from config import databases

# The owner of anything here can change it, and so can a login that may become one: a member, a
# superuser and, before PostgreSQL 16, any login that may create roles.
BECOMES_OWNER: Final = """
    SELECT rolname FROM pg_roles AS r
    WHERE pg_has_role(session_user, r.oid, 'MEMBER') AND r.oid IN (
        SELECT datdba FROM pg_database WHERE datname = current_database()
        UNION SELECT nspowner FROM pg_namespace WHERE nspname = 'public'
        UNION SELECT relowner FROM pg_class WHERE relnamespace = 'public'::regnamespace
        UNION SELECT proowner FROM pg_proc WHERE pronamespace = 'public'::regnamespace
    )
    UNION SELECT 'any role' FROM pg_roles WHERE rolname = session_user AND rolcreaterole
    ORDER BY 1
"""
MAY_MAKE_TEMPORARY: Final = """
    SELECT has_database_privilege(session_user, current_database(), 'TEMPORARY')
"""
# What the login has from the server, whatever the session has set since.
UNLIMITED: Final = (
    "SELECT name FROM pg_settings WHERE name = ANY(%s) AND reset_val = '0' ORDER BY 1"
)
OPEN_TO_ANYBODY: Final = """
    SELECT DISTINCT proname::text FROM pg_proc
    WHERE pronamespace = 'pg_catalog'::regnamespace
        AND (proname IN ('lo_creat', 'lo_create', 'lo_from_bytea',
                'pg_cancel_backend', 'pg_terminate_backend')
            OR proname ~ '^pg_(try_)?advisory_')
        AND has_function_privilege(session_user, oid, 'EXECUTE') ORDER BY 1
"""


# Whether `wallet/audit/sql/stuck_sessions.sql` sees sessions of this login and may end them.
MAY_BE_ENDED: Final = """
    SELECT pg_has_role(p.proowner, session_user, 'USAGE') AND has_function_privilege(
        p.proowner, 'pg_catalog.pg_terminate_backend(integer, bigint)', 'EXECUTE')
    FROM pg_proc AS p WHERE p.oid = to_regprocedure('public.wallet_end_stuck_sessions()')
"""


@register("roles", deploy=True)
def check_the_application_is_not_the_owner(**kwargs: Any) -> list[CheckMessage]:
    """Refuse a login that could change the schema, and with it whatever the schema promises."""
    if not databases.is_reachable():  # The code alone is checked.
        return []
    try:
        return _found()
    except DatabaseError as error:
        return [
            Error(f"The database could not be asked about its roles: {error}", id="config.E010")
        ]


def _found() -> list[CheckMessage]:
    found: list[CheckMessage] = []
    with connection.cursor() as cursor:
        cursor.execute(BECOMES_OWNER)
        if owners := [name for (name,) in cursor.fetchall()]:
            found.append(
                Error(
                    "The login of DATABASE_URL can become the owner of the schema "
                    f"({', '.join(owners)}).",
                    hint="Give the application a login of its own, a member of rummy_app and of "
                    "nothing else, and name the owner's in DATABASE_OWNER_URL (README).",
                    id="config.E011",
                )
            )
        cursor.execute(MAY_MAKE_TEMPORARY)
        if not owners and cursor.fetchone() == (True,):
            found.append(
                Error(
                    "The login of DATABASE_URL may create temporary tables.",
                    hint="Run manage.py migrate as the owner of the database, or as a superuser "
                    "REVOKE TEMPORARY ON DATABASE … FROM PUBLIC.",
                    id="config.E012",
                )
            )
        cursor.execute(OPEN_TO_ANYBODY)
        if not owners and (opened := [name for (name,) in cursor.fetchall()]):
            found.append(
                Caution(
                    "The login of DATABASE_URL may create large objects, which no table, right or "
                    "audit covers, take advisory locks until nobody can connect, or end all "
                    "sessions of its own "
                    f"({', '.join(opened)}).",
                    hint="As a superuser, in this database, the REVOKE of the README.",
                    id="config.W011",
                )
            )
        cursor.execute(MAY_BE_ENDED)
        if not owners and cursor.fetchone() == (False,):
            found.append(
                Caution(
                    "Nobody ends a session of DATABASE_URL's login that holds others up: the "
                    "schema's owner may not.",
                    hint="As a superuser GRANT that login TO the owner, and EXECUTE ON FUNCTION "
                    "pg_terminate_backend(integer, bigint), as in the README.",
                    id="config.W013",
                )
            )
        cursor.execute(UNLIMITED, [list(databases.LIMITS)])
        if not owners and (unlimited := [name for (name,) in cursor.fetchall()]):
            found.append(
                Caution(
                    f"The login of DATABASE_URL has no {', '.join(unlimited)}: a process that "
                    "hangs in a transaction stops all others.",
                    hint="ALTER ROLE … SET, as in deploy/postgres-roles.sh.",
                    id="config.W010",
                )
            )
    return found
