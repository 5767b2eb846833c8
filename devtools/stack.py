"""The processes of the site: web, workers by queue, and beat."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

from config.serving import serve
from core.db.binaries import CHECKOUT, CannotStart
from devtools.children import start_child

TASKS = (sys.executable, "-m", "config.serving.tasks")
# All that web, workers and beat import at their start.
IMPORTED = (
    *("config.asgi", "config.urls", "uvicorn", "uvloop", "config.serving.connections"),
    *("celery.apps.worker", "celery.apps.beat", "celery.worker.consumer.consumer"),
    *("celery.concurrency.thread", "config.serving.beat"),
)
QUIET_WORKER = ("--without-gossip", "--without-mingle", "--without-heartbeat", "-l", "WARNING")


def start_server(
    kind: str, host: str, port: int, log: Path, *options: str, sources: Path = CHECKOUT
) -> subprocess.Popen[bytes]:
    """Start `web` or `live` with `config.serving.serve`."""
    return _start(serve.command(kind, host, port, *options), log, sources)


def start_worker(
    queues: str, log: Path, *, threads: int = 4, name: str = "", sources: Path = CHECKOUT
) -> subprocess.Popen[bytes]:
    """Start a worker for `queues` ("settle,bots"); all tasks can be killed and repeated."""
    return _start([*TASKS, *worker_options(queues, threads=threads, name=name)], log, sources)


def worker_options(queues: str, *, threads: int = 4, name: str = "") -> list[str]:
    """Return the arguments of `config.serving.tasks` for a worker."""
    named = ("-n", f"{name or queues.replace(',', '-')}@%h")
    pool = ("--pool", "threads", "--concurrency", str(threads))
    return ["worker", "-Q", queues, *named, *pool, *QUIET_WORKER]


def start_beat(schedule: Path, log: Path, *, sources: Path = CHECKOUT) -> subprocess.Popen[bytes]:
    """Start beat as a separate child, because a worker's beat survives kill -9 of the worker."""
    return _start([*TASKS, *beat_options(schedule)], log, sources)


def beat_options(schedule: Path) -> list[str]:
    """Return the arguments of `config.serving.tasks` for beat."""
    return ["beat", "-s", str(schedule), "-l", "WARNING"]


def start_command(name: str, *arguments: str, log: Path | None = None) -> subprocess.Popen[bytes]:
    """Start a `manage.py` command as a child."""
    return _start([sys.executable, "manage.py", name, *arguments], log)


def _start(
    command: list[str], log: Path | None, sources: Path = CHECKOUT
) -> subprocess.Popen[bytes]:
    environment = os.environ | {"PYTHONPATH": str(sources), "C_FORCE_ROOT": "1"}
    os.chdir(sources)
    return start_child(command, log=log, death_signal=signal.SIGTERM, env=environment)


class Programs:
    """The site's programs, imported once into this process for others that are forked from it.

    The forks share the memory of the imported modules, and start at once.
    """

    def __init__(self) -> None:
        os.environ |= {"PYTHONPATH": str(CHECKOUT), "C_FORCE_ROOT": "1"}
        os.chdir(CHECKOUT)
        try:
            for module in IMPORTED:
                import_module(module)
        except ImproperlyConfigured as error:
            raise CannotStart(f"A setting is invalid: {error}") from error
        from config.celery import app

        app.finalize()
        # A fork's garbage collection would write to these objects, and so copy their memory.
        gc.freeze()

    def command(self, name: str) -> Callable[[], object]:
        """Return a `manage.py` command."""
        from django.core.management import execute_from_command_line

        return partial(execute_from_command_line, ["manage.py", name])

    def web(self, host: str, port: int) -> Callable[[], object]:
        """Return the server of pages, API and sockets on one port."""
        where = ("--host", host, "--port", str(port))
        return partial(serve.main, ["live", *where, "--stop-seconds", "1"])

    def tasks(self, options: list[str]) -> Callable[[], object]:
        """Return a worker or beat."""
        from config.serving import tasks

        return partial(tasks.main, options)
