"""Games on a Citus cluster of three servers: a coordinator and two workers.

    python -m bench.citus BIN [--tables 200] [--pools 10] [--seconds 10]

BIN holds the programs of a PostgreSQL 18 into which Citus is installed (docs/scaling.md says how).
The servers are started on loopback, the schema is migrated and distributed; then pools of three
bots are played from the first buy-in to the payout, and moves are made over HTTP at so many tables.
In the end it says how many of the moves lie on each worker. It plays as the schema's owner.
"""

from __future__ import annotations

import argparse
import atexit
import os
import shutil
import subprocess
from pathlib import Path
from typing import Final

import psycopg

from core.db.binaries import server_user
from embedded.children import start_child, stop_children
from embedded.datadir import throwaway_datadir
from embedded.postgres import DATABASE, OWNER_ROLE, SUPERUSER
from tests.builders.processes.product import free_port
from tests.builders.processes.waiting import until

SEATS: Final = 3
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
        self.run(f"CREATE ROLE {OWNER_ROLE} SUPERUSER LOGIN", database="postgres")
        self.run(f"CREATE DATABASE {DATABASE} OWNER {OWNER_ROLE}", database="postgres")
        self.run("CREATE EXTENSION citus")

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
    os.environ["DATABASE_URL"] = f"postgres://{OWNER_ROLE}@127.0.0.1:{coordinator.port}/{DATABASE}"
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
    from django.core.management import call_command

    from bench.tables.ceiling import ceiling
    from bench.tables.site import say
    from bench.tables.web import wsgi

    call_command("migrate", verbosity=0)
    call_command("distribute_tables")
    say(f"machine: {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f} before the run")
    say(f"{_play_pools(options.pools)} moves of {options.pools} pools, all paid out")
    wsgi(options.tables, options.seconds, ceiling(2.0))
    for port, moves in coordinator.run(
        "SELECT nodeport, sum(result::bigint) FROM run_command_on_shards('tables_move',"
        " 'SELECT count(*) FROM %s') JOIN citus_shards USING (shardid) GROUP BY nodeport"
    ):
        say(f"{moves} moves on the worker at port {port}")


def _play_pools(pools: int) -> int:
    """Let bots play so many pools to the payout; return how many moves that took."""
    from bench.tables.site import RULES
    from tables.bots import bots
    from tables.games import opening
    from tables.offers import profiles
    from tables.seats import seating
    from tables.table.deal_models import Move
    from tests.builders.tables.deals import let_bots_finish

    for number in range(pools):
        table = opening.open_table(
            profile=profiles.register_profile(RULES),
            name=f"pool {number}",
            currency="PTS",
            entry_minor=100,
            rake_bps=0,
            seats_min=SEATS,
            seats_max=SEATS,
        )
        for bot in bots.bots_for(table, SEATS):
            seating.join(table_id=table.pk, player=bot)
        table = let_bots_finish(table)
        if table.escrow.balance_minor:
            raise SystemExit(f"{table} is over and has {table.escrow.balance_minor} in its escrow")
    return Move.objects.count()


if __name__ == "__main__":
    main()
