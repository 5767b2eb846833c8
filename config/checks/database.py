"""Deployment checks of the application's database login, run by `manage.py check --deploy`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any, Final, NamedTuple

from django.core.checks import CheckMessage, Error, register
from django.core.checks import Warning as Caution
from django.db import DatabaseError, connection
from django.utils.translation import gettext, gettext_lazy

from config import databases

# Return the owners of the schema that the login can become: as a member of the role, as a superuser
# or, before PostgreSQL 16, as any login that may create roles. With distributed tables the
# application's role owns four of the functions (tables/models/sql/distribution.sql).
BECOMES_OWNER: Final = """
    SELECT rolname FROM pg_roles AS r
    WHERE pg_has_role(session_user, r.oid, 'MEMBER') AND r.oid IN (
        SELECT datdba FROM pg_database WHERE datname = current_database()
        UNION SELECT nspowner FROM pg_namespace WHERE nspname = 'public'
        UNION SELECT relowner FROM pg_class WHERE relnamespace = 'public'::regnamespace
        UNION SELECT proowner FROM pg_proc WHERE pronamespace = 'public'::regnamespace
            AND proname NOT IN ('tables_of_escrow', 'tables_seat_was_bought',
                'tables_rejoin_was_bought', 'tables_prizes')
    )
    UNION SELECT 'any role' FROM pg_roles WHERE rolname = session_user AND rolcreaterole
    ORDER BY 1
"""
MAY_MAKE_TEMPORARY: Final = """
    SELECT 'TEMPORARY'
    WHERE has_database_privilege(session_user, current_database(), 'TEMPORARY')
"""
# The login's settings on the server, before the session changed any.
UNLIMITED: Final = (
    "SELECT name FROM pg_settings WHERE name = ANY(%s) AND reset_val = '0' ORDER BY 1"
)
OPEN_TO_ANYBODY: Final = """
    SELECT DISTINCT proname::text FROM pg_proc
    WHERE pronamespace = 'pg_catalog'::regnamespace
        AND (proname IN ('lo_creat', 'lo_create', 'lo_from_bytea',
                'pg_cancel_backend', 'pg_terminate_backend')
            OR proname ~ '^pg_(try_)?advisory_')
        AND oid::regprocedure::text NOT IN (
            'pg_advisory_xact_lock(integer,integer)',
            'pg_advisory_xact_lock_shared(integer,integer)')
        AND has_function_privilege(session_user, oid, 'EXECUTE') ORDER BY 1
"""
# These two serialize a player's actions and breaks.
LOCKS_NOBODY: Final = """
    SELECT oid::regprocedure::text FROM pg_proc
    WHERE oid IN ('pg_advisory_xact_lock(integer,integer)'::regprocedure,
            'pg_advisory_xact_lock_shared(integer,integer)'::regprocedure)
        AND NOT has_function_privilege(session_user, oid, 'EXECUTE')
        AND EXISTS (SELECT FROM pg_roles AS g
            WHERE g.rolname IN ('rummy_app_web', 'rummy_app_settle')
                AND pg_has_role(session_user, g.oid, 'MEMBER'))
    ORDER BY 1
"""
# A login of all kinds, as in a demo, could credit a deposit or a prize alone. With distributed
# tables all processes run as `rummy_app` (docs/scaling.md).
NOT_OF_ONE_KIND: Final = """
    SELECT coalesce(string_agg(g.rolname, ' and ' ORDER BY g.rolname), 'no group')
    FROM pg_roles AS g
    WHERE g.rolname ~ '^rummy_app_(web|settle|intake)$'
        AND pg_has_role(session_user, g.oid, 'MEMBER')
    HAVING count(*) <> 1 AND NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus')
"""

# Unless `wallet/audit/sql/stuck_sessions.sql` can see and end sessions of this login.
STAYS_FOREVER: Final = """
    SELECT p.proname::text FROM pg_proc AS p
    WHERE p.oid = to_regprocedure('public.wallet_end_stuck_sessions()') AND NOT (
        pg_has_role(p.proowner, session_user, 'USAGE') AND has_function_privilege(
            p.proowner, 'pg_catalog.pg_terminate_backend(integer, bigint)', 'EXECUTE'))
"""


class Question(NamedTuple):
    """A query for rights that the login should not have, and the message if it returns rows."""

    query: str
    report: type[Error] | type[Caution]
    id: str
    # `{found}` is replaced by the query's result.
    text: Any
    hint: Any
    values: Sequence[Any] = ()


OWNERSHIP: Final = Question(
    BECOMES_OWNER,
    Error,
    "config.E011",
    gettext_lazy("The login of DATABASE_URL can become the owner of the schema ({found})."),
    hint=gettext_lazy(
        "Give each kind of process a login of its own, a member of its group below rummy_app and "
        "of nothing else, and name the owner's in DATABASE_OWNER_URL (docs/operators/servers.md)."
    ),
)
# An owner has all of these rights.
OF_OTHER_LOGINS: Final = (
    Question(
        NOT_OF_ONE_KIND,
        Error,
        "config.E040",
        gettext_lazy(
            "The login of DATABASE_URL is not of one kind of process: it is a member of {found}."
        ),
        hint=gettext_lazy(
            "Make it a member of rummy_app_web, rummy_app_settle or rummy_app_intake alone, as in "
            "docs/operators/servers.md: no single login can then credit a deposit or a prize."
        ),
    ),
    Question(
        MAY_MAKE_TEMPORARY,
        Error,
        "config.E012",
        gettext_lazy("The login of DATABASE_URL may create temporary tables."),
        hint=gettext_lazy(
            "Run manage.py migrate as the owner of the database, or as a superuser "
            "REVOKE TEMPORARY ON DATABASE … FROM PUBLIC."
        ),
    ),
    Question(
        LOCKS_NOBODY,
        Error,
        "config.E015",
        gettext_lazy("The login of DATABASE_URL may not execute {found}: players cannot sit down."),
        hint=gettext_lazy(
            "As a superuser, in this database, the GRANT of deploy/postgres-roles.sh."
        ),
    ),
    Question(
        OPEN_TO_ANYBODY,
        Caution,
        "config.W011",
        gettext_lazy(
            "The login of DATABASE_URL may create large objects, which no table, right or "
            "audit covers, take so many advisory locks that connections fail, or end all "
            "sessions of its own ({found})."
        ),
        hint=gettext_lazy(
            "As a superuser, in this database, the REVOKE of deploy/postgres-roles.sh."
        ),
    ),
    Question(
        STAYS_FOREVER,
        Caution,
        "config.W013",
        gettext_lazy(
            "The schema's owner may not end stuck sessions of DATABASE_URL's login, "
            "which block others."
        ),
        hint=gettext_lazy(
            "As a superuser GRANT that login TO the owner, and EXECUTE ON FUNCTION "
            "pg_terminate_backend(integer, bigint), as in deploy/postgres-roles.sh."
        ),
    ),
    Question(
        UNLIMITED,
        Caution,
        "config.W010",
        gettext_lazy(
            "The login of DATABASE_URL does not set {found}: a process that "
            "hangs in a transaction stops all others."
        ),
        hint=gettext_lazy("ALTER ROLE … SET, as in deploy/postgres-roles.sh."),
        values=[list(databases.LIMITS)],
    ),
)


@register("roles", deploy=True)
def check_the_application_is_not_the_owner(**kwargs: Any) -> list[CheckMessage]:
    """Refuse a login that could change the schema and so bypass its constraints."""
    if not databases.is_reachable():  # Without a database only the code is checked.
        return []
    try:
        return _answer(OWNERSHIP) or [
            *chain.from_iterable(map(_answer, OF_OTHER_LOGINS)),
            *_unrecorded_settings(),
        ]
    except DatabaseError as error:
        return [
            Error(
                gettext("The roles of the database could not be read: %(error)s")
                % {"error": error},
                id="config.E010",
            )
        ]


def _unrecorded_settings() -> list[CheckMessage]:
    """Warn about logins' settings that `migrate` has not recorded; a login can alter its own."""
    # Imported here: models are not loaded when this module is.
    from wallet.audit.audit import schema_findings
    from wallet.audit.schema_record import LOGIN_SETTINGS

    with connection.cursor() as cursor:
        cursor.execute("SELECT to_regclass('public.wallet_schemarecord')")
        if cursor.fetchone() == (None,):  # Not migrated yet.
            return []
    return [
        Caution(
            gettext("Other than at the last migrate: %(subject)s.") % {"subject": finding.subject},
            hint=gettext(
                "Compare \\drds in psql with deploy/postgres-roles.sh. Intended settings are"
                " recorded by manage.py migrate; others were made with the login's password."
            ),
            id="config.W018",
        )
        for finding in schema_findings()
        if finding.subject.startswith(LOGIN_SETTINGS)
    ]


def _answer(question: Question) -> list[CheckMessage]:
    with connection.cursor() as cursor:
        cursor.execute(question.query, question.values)
        found = ", ".join(name for (name,) in cursor.fetchall())
    text = str(question.text).format(found=found)
    return [question.report(text, hint=str(question.hint), id=question.id)] if found else []
