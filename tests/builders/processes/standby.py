"""A streaming replica of a PostgreSQL server that runs here, on a private socket."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
from django.db import connection, connections

from core.db.backend.base import DatabaseWrapper
from core.db.binaries import reachable_binaries, server_user
from core.db.replica import REPLICA
from embedded.children import stop_children
from embedded.datadir import DataDir, throwaway_datadir
from embedded.postgres import SUPERUSER, start_postgres


def copy_cluster(host: str | Path, to: DataDir) -> None:
    """Copy the server at the socket as it runs; what starts on the copy follows it."""
    to.prepare()
    to.root.chmod(0o711)
    cluster = to.root / "pg"
    cluster.mkdir(mode=0o700)
    user = server_user()
    shutil.chown(cluster, *((user.pw_uid, user.pw_gid) if user else (os.getuid(), os.getgid())))
    copy = ["-h", host, "-U", SUPERUSER, "-R", "-c", "fast", "-X", "stream"]
    subprocess.run(
        [reachable_binaries() / "pg_basebackup", "-D", cluster, *copy],
        user=getattr(user, "pw_uid", None),
        group=getattr(user, "pw_gid", None),
        cwd="/",
        check=True,
    )


@dataclass
class Standby:
    """A replica of the tests' server that Django knows as `replica`."""

    data: DataDir
    process: subprocess.Popen[bytes]

    def pause(self) -> None:
        """Replay no more of the log, as a replica does that is far behind."""
        self._run("SELECT pg_wal_replay_pause()")
        while self._run("SELECT pg_get_wal_replay_pause_state()") != "paused":
            pass

    def resume(self) -> None:
        self._run("SELECT pg_wal_replay_resume()")

    def kill(self) -> None:
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def promote(self) -> None:
        self._run("SELECT pg_promote()")

    def _run(self, statement: str) -> Any:
        where = {"host": str(self.data.run), "user": SUPERUSER, "dbname": "postgres"}
        with psycopg.connect(**where, autocommit=True) as session:
            row = session.execute(statement).fetchone()  # type: ignore[call-overload]  # Not written by strangers.
            return row and row[0]


@contextmanager
def standby() -> Iterator[Standby]:
    """Start a replica of the tests' own server, and let Django know it; both end with the block."""
    settings = connection.settings_dict
    host = settings["OPTIONS"].get("host") or settings["HOST"]
    data = throwaway_datadir()
    copy_cluster(host, data)
    lock = data.lock()
    process, _ = start_postgres(data, durable=False)
    options = {**settings["OPTIONS"], "host": str(data.run), "connect_timeout": 2}
    reached = {**settings, "HOST": "", "OPTIONS": options}
    connections.settings[REPLICA] = reached
    # Django's tests forbid connections they did not know beforehand, unless by this name.
    connections[REPLICA] = DatabaseWrapper(reached, "standby")
    with connection.cursor() as cursor:
        cursor.execute("SET synchronous_commit = on")  # As it is outside tests.
    try:
        yield Standby(data, process)
    finally:
        with connection.cursor() as cursor:
            cursor.execute("RESET synchronous_commit")
        connections[REPLICA].close()
        del connections[REPLICA], connections.settings[REPLICA]
        stop_children([process], signal.SIGINT)
        data.remove()
        if lock:
            lock.close()
