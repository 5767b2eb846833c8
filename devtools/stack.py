"""The processes of the site: web, workers by queue, and beat."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from config.serving import serve
from core.db.binaries import CHECKOUT
from devtools.children import start_child

TASKS = (sys.executable, "-m", "config.serving.tasks")
QUIET_WORKER = ("--without-gossip", "--without-mingle", "--without-heartbeat", "-l", "WARNING")


def start_web(host: str, port: int, log: Path) -> subprocess.Popen[bytes]:
    """Serve pages, API and sockets on one port."""
    return start_server("live", host, port, log, "--stop-seconds", "1")


def start_server(
    kind: str, host: str, port: int, log: Path, *options: str, sources: Path = CHECKOUT
) -> subprocess.Popen[bytes]:
    """Start `web` or `live` with `config.serving.serve`."""
    return _start(serve.command(kind, host, port, *options), log, sources)


def start_worker(
    queues: str, log: Path, *, threads: int = 4, name: str = "", sources: Path = CHECKOUT
) -> subprocess.Popen[bytes]:
    """Start a worker for `queues` ("settle,bots"); all tasks can be killed and repeated."""
    name = name or queues.replace(",", "-")
    return _start(
        [
            *TASKS,
            "worker",
            "-Q",
            queues,
            "-n",
            f"{name}@%h",
            "--pool",
            "threads",
            "--concurrency",
            str(threads),
            *QUIET_WORKER,
        ],
        log,
        sources,
    )


def start_beat(schedule: Path, log: Path, *, sources: Path = CHECKOUT) -> subprocess.Popen[bytes]:
    """Start beat as a separate child, because a worker's beat survives kill -9 of the worker."""
    return _start([*TASKS, "beat", "-s", str(schedule), "-l", "WARNING"], log, sources)


def start_command(name: str, *arguments: str, log: Path | None = None) -> subprocess.Popen[bytes]:
    """Start a `manage.py` command as a child."""
    return _start([sys.executable, "manage.py", name, *arguments], log)


def _start(
    command: list[str], log: Path | None, sources: Path = CHECKOUT
) -> subprocess.Popen[bytes]:
    environment = os.environ | {"PYTHONPATH": str(sources), "C_FORCE_ROOT": "1"}
    os.chdir(sources)
    return start_child(command, log=log, death_signal=signal.SIGTERM, env=environment)
