"""`manage.py demo`: from a bare checkout to a running site with one command."""

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
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

import psycopg
import redis

from core.db import made_by
from core.db.binaries import CannotStart
from core.db.schema import schema_hash
from devtools import launcher, stack
from devtools.children import die_with_parent, stop_children
from devtools.datadir import DataDir, lived_in_datadir, standing_datadir, throwaway_datadir

FIRST_PAGE_SECONDS = 60.0
# From the start to giving up on the game; stopping takes the rest of 45 s.
CHECK_SECONDS = 40.0
APPLICATION_STOP_SECONDS = 1.5
LIVED_DAYS = 4, 400


class Demo:
    """The running product: servers, web, workers and beat, all children of this process."""

    def __init__(self, *, host: str, port: int, data: DataDir, lives_in: Sequence[str]) -> None:
        self.host, self.port, self.data = host, port, data
        # Arguments of `live_in`, where weeks are to be lived through before the site opens.
        self.lives_in = lives_in
        self.servers: launcher.Servers | None = None
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self.stopping = threading.Event()

    @property
    def url(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"

    def start(self) -> None:
        """Start everything and return when the first page is there."""
        _refuse_taken_port(self.host, self.port)
        os.environ.setdefault("RUMMY_EPHEMERAL", "1")
        os.environ.setdefault("DEMO_PASSWORD", self._password())
        self.servers = launcher.start(self.data)
        if self.servers is None:
            raise CannotStart(f"The demo is already running on {self.data.root}.")
        log = self.data.log
        if not self._rebuild_outdated_database(self.servers):
            return
        if self.lives_in and not self._live_in():
            return
        # Importing Django takes each process about 2 s: let them do it side by side.
        prepare = stack.start_command("prepare_demo", log=log / "prepare.log")
        self.processes["worker"] = stack.start_worker(
            "settle,bots,exports,messages,intake", log / "worker.log"
        )
        self.processes["clock"] = stack.start_worker("clock", log / "clock.log", threads=1)
        if not self._has_ended("prepare", prepare):
            return
        if prepare.returncode != 0:
            raise CannotStart(
                f"The database could not be prepared: {_last_line(log / 'prepare.log')}"
            )
        # Not before: an early visitor would meet a database without tables.
        self.processes["web"] = stack.start_web(self.host, self.port, log / "web.log")
        self.processes["beat"] = stack.start_beat(self.data.root / "beat", log / "beat.log")
        self._wait_for_first_page()

    def _rebuild_outdated_database(self, servers: launcher.Servers) -> bool:
        """Let `migrate` rebuild a database that other sources made, before any worker is there."""
        if not _is_outdated(os.environ["DATABASE_URL"]):
            return True
        log = self.data.log / "migrate.log"
        migrate = stack.start_command("migrate", "--verbosity", "0", log=log)
        if not self._has_ended("migrate", migrate):
            return False
        if migrate.returncode != 0:
            raise CannotStart(f"{_last_line(log)} The demo's data: {self.data.root}")
        _print(made_by.REBUILT)
        if "valkey" in servers.children:  # Tasks and counters are of rows that are gone.
            redis.Redis.from_url(os.environ["REDIS_URL"]).flushall()
        return True

    def _live_in(self) -> bool:
        """Let weeks pass in a new house, once, before any worker is there; progress is printed."""
        lived = self.data.root / "lived-in"
        # It names what made the database: a rebuilt one is empty.
        if lived.exists() and lived.read_text() == schema_hash():
            return True
        living = stack.start_command("live_in", *self.lives_in)
        if not self._has_ended("live_in", living):
            return False
        if living.returncode != 0:
            raise CannotStart(
                f"The house could not be lived in; move {self.data.root} away to begin afresh."
            )
        lived.write_text(schema_hash())
        return True

    def _has_ended(self, name: str, child: subprocess.Popen[bytes]) -> bool:
        """Wait until a child has ended by itself; False once the demo is to stop."""
        self.processes[name] = child
        while child.poll() is None and not self.stopping.is_set():
            time.sleep(0.05)
        del self.processes[name]
        if self.stopping.is_set():
            stop_children([child])
            return False
        return True

    def supervise(self) -> int:
        """Wait for a signal; the death of any child ends all."""
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
        children = dict(self.processes)
        if self.servers is not None:
            children |= self.servers.children
        for name, child in children.items():
            if child.poll() is not None and not self.stopping.is_set():
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
    lives_in = ("--days", str(options.days), "--seed", options.seed) if options.lived_in else ()
    demo = Demo(host=options.host, port=port, data=data, lives_in=lives_in)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: demo.stopping.set())
    try:
        demo.start()
        if demo.stopping.is_set():
            return 0
        seconds = time.monotonic() - began
        if options.check:
            return _check(demo, first_page_seconds=seconds)
        _say_hello(demo, seconds)
        return demo.supervise()
    except (CannotStart, OSError) as error:
        if demo.stopping.is_set():  # What was cut short by Ctrl-C is no failure.
            return 0
        _print(str(error), file=sys.stderr)
        return 1
    finally:
        demo.stop()


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="manage.py demo", description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=_port, help="default 8000; --check takes a free one")
    parser.add_argument("--data-dir", type=Path, help="keep the data here instead of .rummy/")
    parser.add_argument(
        "--check",
        action="store_true",
        help="play one bot pool on a throw-away data directory, audit, print JSON and exit",
    )
    parser.add_argument(
        "--lived-in",
        action="store_true",
        help="let weeks of games, money and staff's work pass first, in a house of its own",
    )
    parser.add_argument("--days", type=_days, default=60, help="of the lived-in house")
    parser.add_argument("--seed", default="1", help="the same seed gives the same figures")
    options = parser.parse_args(arguments)
    if options.port is None and not options.check:
        options.port = 8000
    return options


def _data_directory(options: argparse.Namespace) -> DataDir:
    if options.data_dir:
        return DataDir(options.data_dir.resolve())
    if options.check:
        return throwaway_datadir()
    return lived_in_datadir() if options.lived_in else standing_datadir()


def _check(demo: Demo, *, first_page_seconds: float) -> int:
    """Let bots play one 101 pool to the end through the running workers, and audit the ledger."""
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
        raise argparse.ArgumentTypeError("a port is a number from 0 to 65535")
    return port


def _days(text: str) -> int:
    days = int(text)
    if not LIVED_DAYS[0] <= days <= LIVED_DAYS[1]:
        raise argparse.ArgumentTypeError("{} to {} days can be lived through".format(*LIVED_DAYS))
    return days


def _is_outdated(url: str) -> bool:
    try:
        with psycopg.connect(url) as database, database.cursor() as cursor:
            return made_by.is_outdated(cursor)
    except psycopg.OperationalError:  # `prepare_demo` reports it.
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


def _say_hello(demo: Demo, seconds: float) -> None:
    password = os.environ["DEMO_PASSWORD"]
    _print(
        f"\nPool Rummy is running at {demo.url}  ({seconds:.1f} s)\n\n"
        f"  player   asha@example.com    {password}\n"
        f"  player   ravi@example.com    {password}\n"
        f"  staff    admin@example.com   {password}   {demo.url}/admin/\n\n"
        f"Money is made up: the sandbox pays in whatever is asked for.\n"
        f"Data and logs: {demo.data.root}\nCtrl-C stops everything.\n"
    )


def _last_line(log: Path) -> str:
    lines = log.read_text(errors="replace").strip().splitlines() if log.exists() else []
    return f"{lines[-1] if lines else 'it said nothing'} (log: {log})"


def _print(text: str, file: TextIO | None = None) -> None:
    print(text, file=file or sys.stdout, flush=True)
