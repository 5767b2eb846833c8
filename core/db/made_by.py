"""Compare the first migrations and SQL that created a database with those of this code.

Until the first release they are edited in place, so a database created by other versions cannot be
migrated. `migrate` records the hash before a new database's first migration, so that an
interrupted migration can be repeated.
"""

from __future__ import annotations

from typing import Any, Final

from core.db.schema import schema_hash, schemas, sql_of

REFUSAL: Final = (
    "This database was created with other SQL or first migrations than this release has. Before "
    "release 1.0 it cannot be migrated. Nothing was changed. Continue with the release that "
    "created it, or save it with `manage.py backup FILE` and migrate a new, empty "
    "database (docs/operations.md, Before release 1.0)."
)

REBUILT: Final = (
    "The demo's database was created with other SQL or first migrations: "
    "rebuilding it without its data."
)


def is_outdated(cursor: Any) -> bool:
    """Return whether this project's migrations created this database from other sources.

    The cursor may be Django's or psycopg's.
    """
    if not _is_there(cursor, "django_migrations"):
        return False
    cursor.execute(
        "SELECT EXISTS (SELECT FROM public.django_migrations WHERE app = ANY (%s))",
        [list(schemas())],
    )
    if cursor.fetchone() == (False,):
        return False
    return _recorded(cursor) != schema_hash()


def record(cursor: Any) -> None:
    """Record the present hash; the login must own the database."""
    cursor.execute(sql_of("core.db.schema_hash"))
    cursor.execute(
        "INSERT INTO public.core_schemahash (hash) VALUES (%s)"
        " ON CONFLICT (id) DO UPDATE SET hash = excluded.hash",
        [schema_hash()],
    )


def _recorded(cursor: Any) -> str | None:
    if not _is_there(cursor, "core_schemahash"):
        return None
    cursor.execute("SELECT hash FROM public.core_schemahash")
    row = cursor.fetchone()
    return row[0] if row else None


def _is_there(cursor: Any, table: str) -> bool:
    cursor.execute("SELECT to_regclass(%s) IS NOT NULL", [f"public.{table}"])
    return bool(cursor.fetchone() == (True,))
