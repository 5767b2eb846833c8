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
from devtools.children import stop_children
from devtools.datadir import DataDir, throwaway_datadir
from devtools.postgres import SUPERUSER, start_postgres


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
    """A replica of the tests' server."""

    data: DataDir
    process: subprocess.Popen[bytes]

    def pause(self) -> None:
        """Replay no more of the log, as a replica does that is far behind."""
        self._run("SELECT pg_wal_replay_pause()")
        while self._run("SELECT pg_get_wal_replay_pause_state()") != "paused":
            pass

    def resume(self) -> None:
        self._run("SELECT pg_wal_replay_resume()")

    def follows(self) -> bool:
        """Return whether it runs and was not promoted."""
        return self.process.poll() is None and bool(self._run("SELECT pg_is_in_recovery()"))

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
    """Start a replica of the tests' own server, which ends with the block."""
    data = throwaway_datadir()
    copy_cluster(_own_settings()["OPTIONS"].get("host") or _own_settings()["HOST"], data)
    lock = data.lock()
    process, _ = start_postgres(data, durable=False)
    try:
        yield Standby(data, process)
    finally:
        stop_children([process], signal.SIGINT)
        data.remove()
        if lock:
            lock.close()


@contextmanager
def known_to_django(standby: Standby) -> Iterator[None]:
    """Let Django know a replica within a test's block.

    Django's tests forbid connections that they knew beforehand and were not asked for.
    """
    settings = _own_settings()
    options = {**settings["OPTIONS"], "host": str(standby.data.run), "connect_timeout": 2}
    reached = {**settings, "HOST": "", "OPTIONS": options}
    connections.settings[REPLICA] = reached
    connections[REPLICA] = DatabaseWrapper(reached, "standby")
    try:
        yield
    finally:
        connections[REPLICA].close()
        del connections[REPLICA], connections.settings[REPLICA]


def _own_settings() -> dict[str, Any]:
    found: dict[str, Any] = connection.settings_dict
    return found
