"""A primary and a streaming replica that confirms each commit, promoted by hand."""

from __future__ import annotations

import signal
import subprocess
from typing import Protocol
from urllib.parse import quote

import psycopg

from devtools import launcher
from devtools.children import stop_children
from devtools.datadir import throwaway_datadir
from devtools.postgres import DATABASE, OWNER_ROLE, start_postgres
from tests.builders.processes.standby import copy_cluster

# As deploy/postgres-roles.sh makes it.
WEB_LOGIN = """
    CREATE ROLE rummy_web LOGIN IN ROLE rummy_app;
    GRANT rummy_web TO rummy_owner;
    ALTER ROLE rummy_web SET idle_in_transaction_session_timeout = '10s';
    ALTER ROLE rummy_web SET lock_timeout = '15s';
    ALTER ROLE rummy_web SET statement_timeout = '30s';
    ALTER ROLE rummy_web SET tcp_keepalives_idle = 10;
    ALTER ROLE rummy_web SET tcp_keepalives_interval = 5;
    ALTER ROLE rummy_web SET tcp_keepalives_count = 4;
    ALTER ROLE rummy_web SET tcp_user_timeout = '30s';
"""


class Database(Protocol):
    """PostgreSQL behind a pooler: the addresses of the primary and the replica."""

    processes: dict[str, subprocess.Popen[bytes]]

    @property
    def primary(self) -> str: ...  # "host=… port=…" for PgBouncer.
    @property
    def replica(self) -> str: ...
    @property
    def owner_url(self) -> str: ...

    def tend(self) -> None: ...  # Start again what died, where that is its own task.
    def close(self) -> None: ...


class Pair:
    """Two servers on private sockets; `data` is that of the primary, migrated already."""

    def __init__(self, servers: launcher.Servers) -> None:
        self.data, self.standby = servers.data, throwaway_datadir()
        self.processes = {"primary": servers.children.pop("postgres")}
        with superuser(host=str(self.data.run)) as connection:
            connection.execute(WEB_LOGIN)
        copy_cluster(self.data.run, self.standby)
        self._lock = self.standby.lock()
        self.start_replica()
        with superuser(host=str(self.data.run)) as connection:
            # From now on every commit waits for the replica.
            connection.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
            connection.execute("SELECT pg_reload_conf()")
        self._writer = self.data

    @property
    def primary(self) -> str:
        return f"host={self._writer.run}"

    @property
    def replica(self) -> str:
        return f"host={self.standby.run}"

    @property
    def owner_url(self) -> str:
        return f"postgres://{OWNER_ROLE}@/{DATABASE}?host={quote(str(self._writer.run))}"

    def tend(self) -> None:
        """A dead server is a person's to look at."""

    def start_replica(self) -> None:
        self.processes["replica"], _ = start_postgres(self.standby, durable=True)

    def promote(self) -> None:
        """Promote the replica; the caller sets the pooler to the new `primary`."""
        with superuser(host=str(self.standby.run)) as connection:
            connection.execute("SELECT pg_promote()")
        self._writer = self.standby

    def close(self) -> None:
        stop_children(list(self.processes.values()), signal.SIGINT, seconds=10.0)
        self.standby.remove()


def superuser(**where: str | int) -> psycopg.Connection:
    return psycopg.connect(user="postgres", dbname=DATABASE, autocommit=True, **where)  # type: ignore[arg-type]
