"""The audit finds an altered value in every column of every table of money and results."""

import pytest
from django.apps import apps
from django.db import DatabaseError, connection, transaction

from tests.builders.books.rights import NOT_WATCHED
from tests.builders.wallet.tax_office import unguarded
from wallet.audit.audit import audit

pytestmark = [pytest.mark.django_db, pytest.mark.soak, pytest.mark.timeout(3600)]
APPS = ("wallet", "tables", "tournaments", "finance")
SEALED = ("wallet_transfer", "wallet_entry")
# By the name of a type, or its beginning.
ALTERED = {
    "bool": "NOT coalesce({0}, false)",
    "uuid": "gen_random_uuid()",
    "bytea": "coalesce({0}, '') || 'x'",
    "jsonb": "coalesce({0}, '{{}}') || '{{\"x\": \"y\"}}'",
    "timestamp": "coalesce({0}, now()) + interval '1 day'",
    "date": "coalesce({0}, current_date) + 1",
    "time": "coalesce({0}, '00:00') + interval '1 hour'",
    "_": "array_append({0}, {0}[1])",
    "varchar": "left('~' || coalesce({0}, ''), {1})",
    "text": "'~' || coalesce({0}, '')",
    "int": "coalesce({0}, 0) + 1",
    "float": "coalesce({0}, 0) + 1",
    "numeric": "coalesce({0}, 0) + 1",
}
# Columns written all the time that do not concern money or results.
OF_NO_ACCOUNT = {
    # Recomputed from entries and movements instead: test_tamperings.
    *(f"wallet_account.{name}" for name in ("balance_minor", "version")),
    "wallet_bonusgrant.remaining_minor",
    *(f"wallet_stakepart.{name}" for name in ("consumed_minor", "returned_minor")),
    "finance_financetoken.last_used_at",
    "tournaments_tournament.version",
    "tournaments_tournament.due_at",
    "tournaments_tournament.armed_at",
    *(
        f"tables_table.{name}"
        for name in (
            *("template_id", "name", "seats_min", "seats_max", "bots_fill", "bot_strength"),
            *("invite_code", "opened_by_id", "rejoins_open", "is_last_deal", "phase", "version"),
            *("due_at", "armed_at", "bot_due_at", "window_id", "deal_no", "created_at"),
            *("started_at", "finished_at"),
        )
    ),
    *(f"tables_seat.{name}" for name in ("sits_out_since", "deals_missed", "is_absent", "seen_at")),
    *(
        f"tables_deal.{name}"
        for name in ("status", "toss", "committed_at", "started_at", "ended_at", "settled_at")
    ),
    "tables_dealseat.groups",
}


def columns():
    """Yield each table and column with the expression that alters it."""
    models = [model for app in APPS for model in apps.get_app_config(app).get_models()]
    for model in models:
        label = model._meta.label_lower
        if label in NOT_WATCHED and model._meta.db_table not in SEALED:
            continue
        with connection.cursor() as cursor:
            cursor.execute(
                """SELECT attname, base.typname,
                    CASE WHEN greatest(atttypmod, own.typtypmod) > 4
                        THEN greatest(atttypmod, own.typtypmod) - 4 ELSE 999 END
                FROM pg_attribute JOIN pg_type AS own ON own.oid = atttypid
                JOIN pg_type AS base ON base.oid = coalesce(nullif(own.typbasetype, 0), own.oid)
                WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped""",
                [model._meta.db_table],
            )
            for name, kind, longest in cursor.fetchall():
                how = next(sql for start, sql in ALTERED.items() if kind.startswith(start))
                yield model._meta.db_table, name, how.format(f'"{name}"', longest)


def alter(table, column, expression):
    """Alter the first row, all that would stop a superuser being dropped; return its findings."""
    with transaction.atomic():
        with unguarded() as cursor:
            cursor.execute(
                """SELECT conname FROM pg_constraint
                WHERE conrelid = %s::regclass AND contype IN ('c', 'u')""",
                [table],
            )
            for (name,) in cursor.fetchall():
                cursor.execute(f"ALTER TABLE {table} DROP CONSTRAINT {name} CASCADE")
            if table == "wallet_account":
                cursor.execute(
                    """ALTER TABLE wallet_account DISABLE TRIGGER of_its_kind,
                    DISABLE TRIGGER in_bounds"""
                )
            cursor.execute(f"ALTER TABLE {table} ALTER {column} DROP NOT NULL")
            cursor.execute(
                f"UPDATE {table} SET {column} = {expression}"
                f" WHERE ctid = (SELECT min(ctid) FROM {table})"
            )
            assert cursor.rowcount == 1
        if table in SEALED:
            found = audit().findings
        else:  # Three hundred whole audits would take minutes: their versions suffice.
            with connection.cursor() as cursor:
                cursor.execute("SELECT * FROM wallet_audit_versions()")
                found = cursor.fetchall()
        transaction.set_rollback(True)
    return found


def test_every_column_altered_is_found(books):
    missed, tried, empty = [], 0, []
    for table, column, expression in columns():
        if f"{table}.{column}" in OF_NO_ACCOUNT:
            continue
        try:
            found = alter(table, column, expression)
        except AssertionError:
            empty.append(f"{table}.{column}")
            continue
        except DatabaseError as error:
            empty.append(f"{table}.{column}: {error}".splitlines()[0])
            continue
        tried += 1
        if not found:
            missed.append(f"{table}.{column}")

    assert missed == [], f"{len(missed)} of {tried} missed"
    assert tried > 300, f"not tried: {empty}"
