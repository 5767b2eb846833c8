"""`manage.py demo`: run the whole site from a checkout with one command."""

from __future__ import annotations

import argparse
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TextIO

import psycopg

from core.db import made_by
from core.db.binaries import CannotStart
from core.db.schema import schema_hash
from devtools import launcher, stack
from devtools.children import Child, Fork, die_with_parent, stop_children
from devtools.datadir import (
    DataDir,
    register_demo,
    sample_datadir,
    standing_datadir,
    throwaway_datadir,
)

FIRST_PAGE_SECONDS = 60.0
# Time for the start and the game; stopping takes the rest of 45 s.
CHECK_SECONDS = 40.0
APPLICATION_STOP_SECONDS = 1.5
QUEUES = "settle,bots,exports,messages,intake"
SAMPLE_DAYS = 4, 400
# The handles of `devtools.sample_data.people.STAFF`, which needs Django.
SAMPLE_STAFF = (
    *("finance_uma", "finance_kiran", "finance_babu"),
    *("support_lata", "operations_om", "identity_ila"),
)
# A private key of Web Push (`config.environment.push_key`).
PUSH_KEY_BYTES = 32


class Demo:
    """The running demo: servers, web, workers and beat, all children of this process."""

    def __init__(self, *, host: str, port: int, data: DataDir, sample_data: Sequence[str]) -> None:
        self.host, self.port, self.data = host, port, data
        # Arguments of `generate_sample_data`; empty for a demo without sample data.
        self.sample_data = sample_data
        self.servers: launcher.Servers | None = None
        self.processes: dict[str, Child] = {}
        self.stopping = threading.Event()

    @property
    def url(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"

    def start(self) -> None:
        """Start all processes and return when the first page is served."""
        _refuse_taken_port(self.host, self.port)
        os.environ.setdefault("RUMMY_EPHEMERAL", "1")
        os.environ.setdefault("DEMO_PASSWORD", self._password())
        self._set_push_keys()
        self.servers = launcher.start(self.data)
        if self.servers is None:
            raise CannotStart(f"The demo is already running on {self.data.root}.")
        register_demo(self.data)
        log = self.data.log
        if not self._rebuild_outdated_database(self.servers):
            return
        if self.sample_data and not self._generate_sample_data():
            return
        programs = stack.Programs()

        def fork(name: str, run: Callable[[], object]) -> Fork:
            return Fork(name, run, log=log / f"{name}.log")

        prepare = fork("prepare", programs.command("prepare_demo"))
        if not self._has_ended("prepare", prepare):
            return
        if prepare.returncode != 0:
            raise CannotStart(
                f"The database could not be prepared: {_last_line(log / 'prepare.log')}"
            )
        # The clock's queue has a process: stuck tasks of others would stop the tables' clocks.
        self.processes |= {
            "web": fork("web", programs.web(self.host, self.port)),
            "worker": fork("worker", programs.tasks(stack.worker_options(QUEUES))),
            "clock": fork("clock", programs.tasks(stack.worker_options("clock", threads=1))),
            "beat": fork("beat", programs.tasks(stack.beat_options(self.data.root / "beat"))),
        }
        self._wait_for_first_page()

    def _rebuild_outdated_database(self, servers: launcher.Servers) -> bool:
        """Let `migrate` rebuild a database of other sources before any worker starts."""
        if not _is_outdated(os.environ["DATABASE_URL"]):
            return True
        log = self.data.log / "migrate.log"
        migrate = stack.start_command("migrate", "--verbosity", "0", log=log)
        if not self._has_ended("migrate", migrate):
            return False
        if migrate.returncode != 0:
            raise CannotStart(f"{_last_line(log)} The demo's data: {self.data.root}")
        _print(made_by.REBUILT)
        if "valkey" in servers.children:  # Tasks and counters refer to deleted rows.
            import redis  # The library would take 10 MB as long as the demo runs.

            redis.Redis.from_url(os.environ["REDIS_URL"]).flushall()
        return True

    def _generate_sample_data(self) -> bool:
        """Generate sample data once, before any worker starts, and print the progress."""
        done = self.data.root / "sample-data"
        # The file has the hash of the schema: after a rebuild the data is generated again.
        if done.exists() and done.read_text() == schema_hash():
            return True
        child = stack.start_command("generate_sample_data", *self.sample_data)
        if not self._has_ended("generate_sample_data", child):
            return False
        if child.returncode != 0:
            raise CannotStart(
                f"The sample data could not be generated; remove {self.data.root} and try again."
            )
        done.write_text(schema_hash())
        return True

    def _has_ended(self, name: str, child: Child) -> bool:
        """Wait until a child has ended; return False if the demo is stopping."""
        self.processes[name] = child
        while child.poll() is None and not self.stopping.is_set():
            time.sleep(0.05)
        del self.processes[name]
        if self.stopping.is_set():
            stop_children([child])
            return False
        return True

    def supervise(self) -> int:
        """Wait for a signal; raise `CannotStart` if a child ends."""
        while not self.stopping.wait(0.2):
            self._refuse_dead_child()
        return 0

    def stop(self) -> None:
        stop_children(list(self.processes.values()), seconds=APPLICATION_STOP_SECONDS)
        self.processes.clear()
        if self.servers is not None:
            self.servers.stop()

    def _password(self) -> str:
        self.data.prepare()
        return self.data.secret("demo-password")[:12]

    def _set_push_keys(self) -> None:
        """Let the demo send notifications to devices, with a key of its own if none is set."""
        if "PUSH_PRIVATE_KEY" not in os.environ:
            os.environ["PUSH_PRIVATE_KEY"] = self.data.secret("push-key", PUSH_KEY_BYTES)
            os.environ.setdefault("PUSH_CONTACT", "mailto:demo@example.com")

    def _wait_for_first_page(self) -> None:
        deadline = time.monotonic() + FIRST_PAGE_SECONDS
        while not self.stopping.is_set():
            self._refuse_dead_child()
            try:
                with urllib.request.urlopen(f"{self.url}/", timeout=5):  # noqa: S310
                    return
            except urllib.error.HTTPError as error:
                raise CannotStart(
                    f"The first page failed ({error}): see {self.data.log}."
                ) from error
            except OSError as error:
                if time.monotonic() > deadline:
                    raise CannotStart(f"No page within a minute: see {self.data.log}.") from error
            time.sleep(0.05)

    def _refuse_dead_child(self) -> None:
        children: dict[str, Child] = dict(self.processes)
        if self.servers is not None:
            children |= self.servers.children
        for name, child in children.items():
            code = child.poll()
            if code is None or self.stopping.is_set():
                continue
            if code < 0:
                raise CannotStart(f"The {name} process was ended: {signal.strsignal(-code)}.")
            said = _last_line(self.data.log / f"{name}.log")
            raise CannotStart(f"The {name} process ended by itself: {said}")


def main(arguments: Sequence[str]) -> int:
    """Run the demo until Ctrl-C; return the exit code."""
    options = _parse(arguments)
    die_with_parent(signal.SIGTERM, os.getppid())
    began = time.monotonic()
    if options.check:
        os.environ.setdefault("BOT_THINK_SECONDS", "0")
    try:
        data = _data_directory(options)
        port = options.port or _free_port(options.host)
    except (CannotStart, OSError) as error:
        _print(str(error), file=sys.stderr)
        return 1
    sample_data = (
        ("--days", str(options.days), "--seed", options.seed) if options.sample_data else ()
    )
    demo = Demo(host=options.host, port=port, data=data, sample_data=sample_data)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: demo.stopping.set())
    try:
        demo.start()
        if demo.stopping.is_set():
            return 0
        seconds = time.monotonic() - began
        if options.check:
            return _check(demo, first_page_seconds=seconds)
        _print_welcome(demo, seconds)
        return demo.supervise()
    except (CannotStart, OSError) as error:
        if demo.stopping.is_set():  # Errors after Ctrl-C are expected.
            return 0
        _print(str(error), file=sys.stderr)
        return 1
    finally:
        demo.stop()


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="manage.py demo", description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=_port, help="default 8000; a free port with --check")
    parser.add_argument(
        "--data-dir", type=Path, help="directory of the demo's data instead of .rummy/"
    )
    parser.add_argument(
        "--check",
        action="store_true",
        help="play one bot pool with throw-away data, audit the ledger, print JSON and exit",
    )
    parser.add_argument(
        "--sample-data",
        action="store_true",
        help="a separate demo with generated games, payments and pending work of staff",
    )
    parser.add_argument("--days", type=_days, default=60, help="days of sample data")
    parser.add_argument("--seed", default="1", help="the same seed generates the same data")
    options = parser.parse_args(arguments)
    if options.port is None and not options.check:
        options.port = 8000
    return options


def _data_directory(options: argparse.Namespace) -> DataDir:
    if options.data_dir:
        return DataDir(options.data_dir.resolve())
    if options.check:
        return throwaway_datadir()
    return sample_datadir() if options.sample_data else standing_datadir()


def _check(demo: Demo, *, first_page_seconds: float) -> int:
    """Let bots play one 101 pool in the running workers, and audit the ledger."""
    patience = str(CHECK_SECONDS - first_page_seconds)
    arguments = ("--attached", "--players", "3", "--timeout", patience, "--json")
    simulate = subprocess.run(
        [sys.executable, "manage.py", "simulate", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    try:
        report = json.loads(simulate.stdout.strip().splitlines()[-1])
    except (IndexError, ValueError):
        report = {"ok": False, "error": simulate.stderr.strip().splitlines()[-1:]}
    report["first_page_seconds"] = round(first_page_seconds, 1)
    report["ok"] = simulate.returncode == 0 and bool(report.get("ok"))
    _print(json.dumps(report))
    return 0 if report["ok"] else 1


def _port(text: str) -> int:
    port = int(text)
    if not 0 <= port <= 65_535:
        raise argparse.ArgumentTypeError("a port must be a number from 0 to 65535")
    return port


def _days(text: str) -> int:
    days = int(text)
    if not SAMPLE_DAYS[0] <= days <= SAMPLE_DAYS[1]:
        raise argparse.ArgumentTypeError(
            "the sample data can have {} to {} days".format(*SAMPLE_DAYS)
        )
    return days


def _is_outdated(url: str) -> bool:
    try:
        with psycopg.connect(url) as database, database.cursor() as cursor:
            return made_by.is_outdated(cursor)
    except psycopg.OperationalError:  # `prepare_demo` reports the error.
        return False


def _refuse_taken_port(host: str, port: int) -> None:
    with _probe(host) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise CannotStart(
                f"Cannot listen on {host}:{port} ({error.strerror}); choose another with --port."
            ) from error


def _probe(host: str) -> socket.socket:
    return socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)


def _free_port(host: str) -> int:
    with _probe(host) as probe:
        probe.bind((host, 0))
        port: int = probe.getsockname()[1]
        return port


def _print_welcome(demo: Demo, seconds: float) -> None:
    password = os.environ["DEMO_PASSWORD"]
    more = ", ".join(SAMPLE_STAFF)
    roles = f"  {more} (@example.com, the same password)\n" if demo.sample_data else ""
    _print(
        f"\nPool Rummy is running at {demo.url}  ({seconds:.1f} s)\n\n"
        f"  player   asha@example.com    {password}\n"
        f"  player   ravi@example.com    {password}\n"
        f"  staff    admin@example.com   {password}   {demo.url}/admin/\n{roles}\n"
        f"No real money: the sandbox gateway credits every deposit.\n"
        f"Data and logs: {demo.data.root}\nCtrl-C stops everything.\n"
    )


def _last_line(log: Path) -> str:
    lines = log.read_text(errors="replace").strip().splitlines() if log.exists() else []
    return f"{lines[-1] if lines else 'no output'} (log: {log})"


def _print(text: str, file: TextIO | None = None) -> None:
    print(text, file=file or sys.stdout, flush=True)
