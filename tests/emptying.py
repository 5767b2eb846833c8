"""Empty the test database after a test that commits.

The owner does it on a connection of its own, where neither triggers nor foreign keys are asked: a
session that switches them off forgets all it has planned, and so does every session when a table is
truncated. Most tables are empty anyway.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

from django.db import connection
from django.db.backends.postgresql.base import DatabaseWrapper
from psycopg import sql

from core.db.schema import sql_of

# The rates, forms and regions of the law, which come with a migration.
LAW = ("wallet.tax.rates", "wallet.tax.invoices.forms", "players.eligibility.places.law")
# What migrations and their signals wrote once is the same for every test.
KEPT_TABLES = {"django_migrations", "django_content_type", "auth_permission"}
# Their rows stay, or are written again; so are their versions.
LAW_TABLES = ("wallet_taxrate", "wallet_taxform", "players_region")
ADOPTED_TABLES = (*LAW_TABLES, "wallet_policy", "wallet_installation", "wallet_schemarecord")
VERSIONS = "wallet_rowversion"
DELETE_VERSIONS = "DELETE FROM wallet_rowversion WHERE relation <> ALL (%s)"
# Those without a page have no rows. Deleted rows stay on their pages until they are many. A
# partitioned table has the pages of its months.
WRITTEN = """
SELECT relname, size > 65536 FROM pg_class CROSS JOIN LATERAL (
    SELECT CASE relkind
        WHEN 'p' THEN (SELECT sum(pg_relation_size(relid)) FROM pg_partition_tree(oid))
        ELSE pg_relation_size(oid) END
) AS pages (size)
WHERE relname = ANY(%s) AND size > 0
"""
# A record of the schema is large and is never changed.
READ = "(SELECT md5(string_agg(r::text, '' ORDER BY r::text)) FROM {0} AS r)"
READ_VERSIONS = """(
    SELECT md5(string_agg(v::text, '' ORDER BY v.id)) FROM wallet_rowversion AS v
    WHERE v.relation = ANY (%s)
)"""

_kept_rows: dict[str, object] = {}


def flush(_operations: object, _sql_list: list[str]) -> None:
    """Replace `DatabaseOperations.execute_sql_flush`.

    Writing the law and its versions again takes longer than all else: unchanged, they stay.
    """
    with _owner().cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
        is_unchanged = _read_kept(cursor) == _kept_rows.get("law")
        kept = LAW_TABLES if is_unchanged else ()
        emptied = [name for name in _emptied_tables() if name not in kept]
        written = cursor.execute(WRITTEN, [emptied]).fetchall()
        cursor.execute(_each("DELETE FROM {0}", [name for name, _ in written if name != VERSIONS]))
        cursor.execute(DELETE_VERSIONS, [[*ADOPTED_TABLES] if is_unchanged else []])
        for name in (name for name, is_swollen in written if is_swollen):
            cursor.execute(_each("VACUUM {0}", [name]))
            if connection.pg_version >= 180_000:
                # A table once counted empty looks so to the planner for ever.
                cursor.execute("SELECT pg_clear_relation_stats('public', %s)", [name])
        if not is_unchanged:
            _write_law(cursor)
            _kept_rows["law"] = _read_kept(cursor)
    # Models: only once Django is set up. As after every migration.
    import_module("wallet.ledger.accounts").open_operator_accounts(using=connection.alias)


def _write_law(cursor: Any) -> None:
    for file in LAW:
        cursor.execute(sql_of(file))
    for table in ADOPTED_TABLES:
        cursor.execute("SELECT wallet_adopt(%s)", [table])


def _read_kept(cursor: Any) -> object:
    """Return a hash of the rows of each table that is not emptied, and of their versions."""
    parts = [sql.SQL(READ).format(sql.Identifier(name)) for name in ADOPTED_TABLES[:-1]]
    statement = sql.SQL("SELECT {}").format(sql.SQL(", ").join([*parts, sql.SQL(READ_VERSIONS)]))
    return cursor.execute(statement, [[*ADOPTED_TABLES]]).fetchone()


def _each(statement: str, tables: list[str]) -> Any:
    """Return the statement for each table, whose name replaces `{0}`."""
    return sql.SQL("; ").join(sql.SQL(statement).format(sql.Identifier(name)) for name in tables)


@cache
def _owner() -> DatabaseWrapper:
    owner = connection.copy()
    owner.settings_dict["OPTIONS"].pop("assume_role", None)
    return owner


def close_owner() -> None:
    """Close the connection, which would keep the database from being dropped."""
    _owner().close()


@cache
def _emptied_tables() -> list[str]:
    names = connection.introspection.django_table_names(only_existing=True)
    return sorted(set(names) - KEPT_TABLES)
