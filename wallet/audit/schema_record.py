"""Record the objects of a migrated schema, so that the audit reports later changes."""

from __future__ import annotations

from typing import Any, Final

from django.db import connections, transaction

from core.db.schema import sql_of

_FACTS: Final = sql_of("wallet.audit.schema_facts")
# Definitions are formatted relative to this search path.
_SEARCH_PATH: Final = "SELECT set_config('search_path', 'pg_catalog, public, pg_temp', true)"
# The settings with which logins of the application start; a superuser creates and drops logins.
LOGIN_SETTINGS: Final = "login settings"
_RECORDED: Final = "(SELECT objects FROM wallet_schemarecord ORDER BY id DESC LIMIT 1)"
_RECORD: Final = f"""
    INSERT INTO wallet_schemarecord (objects)
    SELECT objects
    FROM (SELECT jsonb_object_agg(object, hash) AS objects FROM ({_FACTS}) AS f) AS now
    WHERE objects IS DISTINCT FROM {_RECORDED}
"""  # noqa: S608  # Texts of this module.
# One row for each object that differs from the record: (check, subject, detail).
DIFFERENCES: Final = f"""
    SELECT 'schema_altered', coalesce(now.object, was.object),
        CASE
        WHEN now.object IS NULL THEN 'was removed'
        WHEN was.object IS NULL THEN 'was added'
        ELSE 'is not as migrated'
        END
    FROM ({_FACTS}) AS now FULL JOIN jsonb_each_text({_RECORDED}) AS was (object, hash)
        ON was.object = now.object
    WHERE now.hash IS DISTINCT FROM was.hash
        AND NOT ((now.object IS NULL OR was.object IS NULL)
            AND starts_with(coalesce(now.object, was.object), '{LOGIN_SETTINGS}'))
    ORDER BY 2
    LIMIT 1000
"""  # noqa: S608


def record_schema(*, using: str, **_signal: Any) -> None:
    """Record the present schema unless the last record is the same; needs the owner's role."""
    with transaction.atomic(using=using), connections[using].cursor() as cursor:
        _record(cursor)


def _record(cursor: Any) -> None:
    cursor.execute("SELECT to_regclass('wallet_schemarecord') IS NOT NULL")
    if cursor.fetchone() == (True,):  # The table is missing after a migration backwards.
        cursor.execute(_SEARCH_PATH)
        cursor.execute(_RECORD)
