"""Games on a Citus cluster of three servers: a coordinator and two workers.

    python -m bench.citus BIN [--tables 200] [--pools 10] [--seconds 10]

BIN holds the programs of a PostgreSQL 18 into which Citus is installed (docs/scaling.md says how).
The servers are started on loopback, the schema is migrated and distributed by its owner; then, by
the application's login, bots play pools, points tables, straight rummy and a tournament through
workers and beat to the payout, whose audit has to be clean, and moves are made over HTTP at so many
tables. In the end it says how many of the moves lie on each worker.
"""

from __future__ import annotations

import argparse
import atexit
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import psycopg

from config.databases import APP_ROLE
from core.db.binaries import server_user
from embedded.children import start_child, stop_children
from embedded.datadir import throwaway_datadir
from embedded.postgres import DATABASE, OWNER_ROLE, SUPERUSER
from tests.builders.processes.product import free_port
from tests.builders.processes.waiting import until

SIMULATIONS: Final = (
    ("--tables", "2", "--variant", "points", "--deals", "5"),
    ("--tables", "2", "--variant", "straight"),
    ("--tournament", "rejoin-101", "--entrants", "12"),
)
WEB: Final = "rummy_web"
# The coordinator signs in at a worker as the role of a statement: one for all of the application.
ROLES: Final = (
    f"CREATE ROLE {OWNER_ROLE} LOGIN",
    f"CREATE ROLE {APP_ROLE} LOGIN ROLE {OWNER_ROLE}",
    f"CREATE ROLE {WEB} LOGIN IN ROLE {APP_ROLE}",
    f"ALTER ROLE {WEB} SET role = {APP_ROLE}",
)
SETTINGS: Final = ("shared_preload_libraries=citus", "wal_level=logical", "max_connections=300")


class Node:
    """One server of the cluster; everybody on this machine may sign in."""

    def __init__(self, binaries: Path) -> None:
        self.binaries, self.port = binaries, free_port()
        self.data = throwaway_datadir()
        self.data.prepare()
        self.cluster = self.data.root / "pg"
        self.cluster.mkdir(mode=0o700)
        user = server_user()
        self.as_user = {"user": user.pw_uid, "group": user.pw_gid} if user else {}
        if user is not None:
            for owned in (self.cluster, self.data.run):
                shutil.chown(owned, user.pw_uid, user.pw_gid)
        subprocess.run(
            [
                *(binaries / "initdb", "-D", self.cluster, "-U", SUPERUSER),
                *("--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8"),
            ],
            stdout=subprocess.DEVNULL,
            cwd="/",
            check=True,
            **self.as_user,
        )
        command = [binaries / "postgres", "-D", self.cluster, "-k", self.data.run]
        command += ["-c", "listen_addresses=127.0.0.1", "-c", f"port={self.port}"]
        for setting in SETTINGS:
            command += ["-c", setting]
        log = self.data.log / "postgres.log"
        self.process = start_child(command, log=log, **self.as_user)
        until(self.answers)
        for statement in ROLES:
            self.run(statement, database="postgres")
        self.run(f"CREATE DATABASE {DATABASE} OWNER {OWNER_ROLE}", database="postgres")
        self.run("CREATE EXTENSION citus")

    def url(self, login: str) -> str:
        return f"postgres://{login}@127.0.0.1:{self.port}/{DATABASE}"

    def answers(self) -> bool:
        try:
            self.run("SELECT 1", database="postgres")
        except psycopg.OperationalError:
            return False
        return True

    def run(self, statement: str, *, database: str = DATABASE) -> list[tuple[object, ...]]:
        where = {"host": "127.0.0.1", "port": self.port, "user": SUPERUSER, "dbname": database}
        with psycopg.connect(autocommit=True, **where) as connection:  # type: ignore[arg-type]
            cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []

    def close(self) -> None:
        stop_children([self.process], seconds=10.0)
        self.data.remove()


def start_cluster(binaries: Path) -> Node:
    """Start three servers, which end with this process; return the coordinator."""
    coordinator, *workers = nodes = [Node(binaries) for _ in range(3)]
    for node in nodes:
        atexit.register(node.close)
    coordinator.run(f"SELECT citus_set_coordinator_host('127.0.0.1', {coordinator.port})")
    for worker in workers:
        coordinator.run(f"SELECT citus_add_node('127.0.0.1', {worker.port})")
    os.environ["DATABASE_URL"] = coordinator.url(WEB)
    os.environ["DATABASE_ROLE"] = ""
    return coordinator


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("binaries", type=Path)
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--pools", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=10.0)
    options = parser.parse_args()
    coordinator = start_cluster(options.binaries)
    # The site reads where its database is as it is imported.
    from bench.tables.ceiling import ceiling
    from bench.tables.site import say
    from bench.tables.web import wsgi

    owners = os.environ | {
        "DATABASE_OWNER_URL": coordinator.url(OWNER_ROLE),
        "DJANGO_SETTINGS_MODULE": "config.settings",
    }
    for command in ("migrate", "distribute_tables", "audit_ledger"):
        subprocess.run([sys.executable, "manage.py", command, "-v0"], env=owners, check=True)

    say(f"machine: {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f} before the run")
    for simulation in (("--tables", str(options.pools), "--variant", "pool-201"), *SIMULATIONS):
        say(_simulate(simulation, owners))
    wsgi(options.tables, options.seconds, ceiling(2.0, coordinator.url(OWNER_ROLE)))
    for port, moves in coordinator.run(
        "SELECT nodeport, sum(result::bigint) FROM run_command_on_shards('tables_move',"
        " 'SELECT count(*) FROM %s') JOIN citus_shards USING (shardid) GROUP BY nodeport"
    ):
        say(f"{moves} moves on the worker at port {port}")


def _simulate(options: Sequence[str], env: Mapping[str, str]) -> str:
    """Let bots play games to the payout; return what that came to. Exit where a check fails."""
    command = [sys.executable, "manage.py", "simulate", "--json", *options]
    done = subprocess.run(command, env=env, check=True, stdout=subprocess.PIPE, text=True)
    report = json.loads(done.stdout)
    return (
        f"{' '.join(options)}: {report['moves']} moves in {report['seconds']} s, "
        f"{report['escrow_left_minor']} left in escrow, {'sound' if report['ok'] else 'NOT SOUND'}"
    )


if __name__ == "__main__":
    main()
