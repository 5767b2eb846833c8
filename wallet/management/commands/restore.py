"""Restore a backup into an empty database, and audit it.

With `--replace` the database in use is renamed and kept, and a new one takes its place.

With `--month` the file is one of `archive_months`, and its month is restored into a database in
use.
"""

from __future__ import annotations

import json
import time
from argparse import ArgumentParser
from collections.abc import Callable
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import ProgrammingError, connection
from django.db.migrations.executor import MigrationExecutor

from core.db import made_by
from core.db.programs import (
    list_contents,
    refuse_all_but_the_owner,
    run_program,
    set_database_aside,
)
from core.db.schema import DATABASE_RIGHTS, sql_of
from core.partitions.archive import MonthNotRestored, restore_month
from wallet.audit.audit import Report, audit

# Every kind of object that the installation could have created.
EMPTY = """
    SELECT count(*) FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
    WHERE n.nspname = 'public'
"""
# The application's role and the groups of its logins, as created by the migrations
# (core/db/sql/roles.sql).
ROLE = """
    DO $$
    DECLARE
        made text;
    BEGIN
        IF to_regrole('rummy_app') IS NULL THEN
            CREATE ROLE rummy_app NOLOGIN;
            EXECUTE format('GRANT rummy_app TO %I', current_user);
        END IF;
        FOREACH made IN ARRAY '{rummy_app_web,rummy_app_settle,rummy_app_intake}'::text[] LOOP
            IF to_regrole(made) IS NULL THEN
                EXECUTE format('CREATE ROLE %I NOLOGIN', made);
                EXECUTE format('GRANT %I TO rummy_app', made);
            END IF;
        END LOOP;
    END
    $$
"""
# Default privileges of a login, which only that login can set.
DEFAULT_PRIVILEGES = "DEFAULT ACL"
# Grants on system functions by a superuser (deploy/postgres-roles.sh), which the owner cannot make.
OF_THE_SYSTEM = " ACL pg_catalog "
OUTDATED = (
    "The backup is restored but not audited, because its database was created by other SQL or "
    "migrations than this release has. Run `manage.py audit_ledger` of the release that made it."
)
# The last database transaction recorded in the ledger, its seals or the closes of days.
LAST_KNOWN = """
    SELECT greatest(
        (SELECT max(xid) FROM wallet_transfer),
        (SELECT max(to_xid) FROM wallet_seal),
        (SELECT max(horizon) FROM finance_dailyclose),
        (SELECT max(boundary) FROM wallet_bookedday),
        0
    )
"""
COUNT_UP = """
    DO $$
    BEGIN
        WHILE pg_current_xact_id()::text::bigint <= {past} LOOP
            COMMIT;
        END LOOP;
    END
    $$
"""


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="created by `manage.py backup`")
        parser.add_argument(
            "--replace",
            action="store_true",
            help="rename the present database and restore into a new one of its name",
        )
        parser.add_argument("--month", action="store_true", help="the file is an archived month")
        parser.add_argument("--json", action="store_true", help="print one JSON line")

    def handle(self, *args: Any, **options: Any) -> None:
        file: Path = options["file"]
        if not file.is_file():
            raise CommandError(f"There is no file {file}.")
        refuse_all_but_the_owner()
        if options["month"]:
            self._restore_month(file)
            return
        if options["replace"]:
            _set_aside(file, self.stderr.write)
        with connection.cursor() as cursor:
            if not _is_empty(cursor):
                raise CommandError(
                    "The database is not empty: use --replace to keep it under another name, or "
                    "point DATABASE_OWNER_URL at a new one (CREATE DATABASE … OWNER …)."
                )
            _make_role(cursor)
        began = time.monotonic()
        self._read(file)
        with connection.cursor() as cursor:
            cursor.execute(sql_of(DATABASE_RIGHTS))
            cursor.execute("ANALYZE")
        passed = pass_transactions()
        read = time.monotonic() - began
        executor = MigrationExecutor(connection)
        behind = len(executor.migration_plan(executor.loader.graph.leaf_nodes()))
        with connection.cursor() as cursor:
            is_outdated = made_by.is_outdated(cursor)
        # This release's audit needs its own migrations and SQL.
        report = None if behind or is_outdated else audit()
        seconds = {"read": round(read, 1), "all": round(time.monotonic() - began, 1)}
        self._print(report, seconds, passed=passed, behind=behind, as_json=options["json"])
        if is_outdated:
            raise CommandError(OUTDATED)
        _refuse_what_was_not_found_clean(report)

    def _restore_month(self, file: Path) -> None:
        """Restore a month; a later audit compares its rows with their seals."""
        try:
            month = restore_month(file)
        except MonthNotRestored as refusal:
            raise CommandError(str(refusal)) from refusal
        self.stdout.write(f"{month}: {month.row_count} rows. Now run `manage.py audit_ledger`.")

    def _read(self, file: Path) -> None:
        """Restore everything or nothing, except what only another login can restore."""
        with connection.cursor() as cursor:
            cursor.execute("SELECT session_user")
            (owner,) = cursor.fetchone()
        contents = list_contents(file).splitlines()
        foreign = [line for line in contents if DEFAULT_PRIVILEGES in line.split(" public ")[0]]
        foreign = [line for line in foreign if line.split()[-1] != owner]
        foreign += [line for line in contents if OF_THE_SYSTEM in line]
        for line in foreign:
            self.stderr.write(f"Left out: {line.partition(';')[2].strip()}")
        with NamedTemporaryFile("w", suffix=".list") as chosen:
            chosen.write("\n".join(line for line in contents if line not in foreign))
            chosen.flush()
            whole_or_not = ("--single-transaction", "--exit-on-error", "--no-owner")
            run_program("pg_restore", *whole_or_not, f"--use-list={chosen.name}", file)

    def _print(
        self,
        report: Report | None,
        seconds: dict[str, float],
        *,
        passed: int,
        behind: int,
        as_json: bool,
    ) -> None:
        values = {
            "ok": report and report.is_clean,
            "transfers": report and report.transfers,
            "entries": report and report.entries,
            "accounts": report and report.accounts,
            "findings": [str(finding) for finding in report.findings] if report else None,
            "transactions_passed": passed,
            "migrations_behind": behind,
            "seconds_to_read": seconds["read"],
            "seconds_with_audit": seconds["all"],
        }
        if as_json:
            self.stdout.write(json.dumps(values))
        else:
            for name, value in values.items():
                self.stdout.write(f"{name.replace('_', ' '):>20}  {value}")


def _refuse_what_was_not_found_clean(report: Report | None) -> None:
    if report is None:
        raise CommandError(
            "The backup is of an earlier version and not audited: "
            "run `manage.py migrate`, then `manage.py audit_ledger`."
        )
    if not report.is_clean:
        raise CommandError("The restored ledger has differences; see the findings.")


def _is_empty(cursor: Any) -> bool:
    cursor.execute(EMPTY)
    return bool(cursor.fetchone() == (0,))


def _set_aside(file: Path, say: Callable[[str], object]) -> None:
    """Rename a database that is not empty, once the backup has been read."""
    list_contents(file)
    with connection.cursor() as cursor:
        if _is_empty(cursor):
            return
    say(f"The present database is now named {set_database_aside()}.")


def _make_role(cursor: Any) -> None:
    """Create the role to which the backup grants rights, if the server has none of that name."""
    try:
        cursor.execute(ROLE)
    except ProgrammingError as error:
        raise CommandError(
            "The role rummy_app or a group below it is missing and this login may not create it: "
            "as a superuser, create the roles of deploy/postgres-roles.sh."
        ) from error


def pass_transactions() -> int:
    """Advance the server's transaction counter past those in the ledger; return how many.

    Journal, seals and closes are ordered by database transaction. A new server counts from the
    beginning: its postings would sort before the existing ones and never be read.
    """
    with connection.cursor() as cursor:
        cursor.execute(LAST_KNOWN)
        (last,) = cursor.fetchone()
        cursor.execute("SELECT pg_current_xact_id()::text::bigint")
        (now,) = cursor.fetchone()
        if now <= last:
            cursor.execute(COUNT_UP.format(past=int(last)))
        return max(0, int(last) - int(now))
