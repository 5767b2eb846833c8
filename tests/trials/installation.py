"""An installation on one machine, whose processes may be killed at any moment."""

from __future__ import annotations

import os
import signal
import socket
import ssl
import subprocess
import time
import urllib.request
from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from kombu.exceptions import OperationalError
from redis import RedisError

from core.db.binaries import CHECKOUT
from devtools import launcher, stack
from devtools.children import stop_children
from devtools.datadir import DataDir, throwaway_datadir
from devtools.valkey import start_valkey
from tests.builders.processes.product import free_port
from tests.cluster import MIGRATED, lay_migrated, make_migrated

START_SECONDS = 120.0
SERVERS = ("web", "live")
# The number of processes of each kind; a kind that is not named here is a worker's queues.
FLEET: Final = {"live": 1, "settle,bots,exports,messages,intake": 1, "clock": 1, "beat": 1}
Start = Callable[[], "subprocess.Popen[bytes]"]


def migrated_datadir() -> DataDir:
    """Return a throw-away data directory with a migrated database."""
    os.environ.setdefault(MIGRATED, str(make_migrated()))
    data = throwaway_datadir()
    data.prepare()
    lay_migrated(data.root)
    return data


class Installation:
    """PostgreSQL, Valkey and the site's processes, by name ("live 1"); they end with this one."""

    # Of connections to `port`, if the servers are behind a proxy.
    tls: ssl.SSLContext | None = None

    def __init__(self, data: DataDir, fleet: Mapping[str, int], *, durable: bool = False) -> None:
        servers = launcher.start(data, durable=durable)
        assert servers is not None, "a throw-away directory has no other user"
        self.fleet, self.servers, self.root, self.log = fleet, servers, data.root, data.log
        self.kills: Counter[str] = Counter()
        self.ended_by_themselves: Counter[str] = Counter()
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self.started_at: dict[str, float] = {}
        # The sources of processes that are started from now on.
        self.sources = CHECKOUT
        self.ports = {name: free_port() for name in self.names(*SERVERS)}
        self.starts: dict[str, Start] = {
            name: partial(self._start, kind, name) for kind in fleet for name in self.names(kind)
        }
        if "valkey" in servers.children:
            self.processes["redis"] = servers.children.pop("valkey")
            self.starts["redis"] = lambda: start_valkey(data)[0]

    @property
    def port(self) -> int:
        """The port that people use."""
        return self.ports["live 1"]

    @property
    def all_names(self) -> list[str]:
        return list(self.starts)

    def names(self, *kinds: str) -> list[str]:
        """Return the names of all processes of these kinds: "web 1", "web 2"."""
        return [
            f"{kind} {number + 1}" for kind in kinds for number in range(self.fleet.get(kind, 0))
        ]

    def _start(self, kind: str, name: str) -> subprocess.Popen[bytes]:
        log, sources = self.log / f"{name}.log", self.sources
        if kind in SERVERS:
            options = ("--threads", "4") if kind == "web" else ()
            port = self.ports[name]
            return stack.start_server(kind, "127.0.0.1", port, log, *options, sources=sources)
        if kind == "beat":
            return stack.start_beat(self.root / name, log, sources=sources)
        # One that works for all queues does the work of several.
        threads = 1 if kind == "clock" else 4 if "," in kind else 2
        return stack.start_worker(kind, log, threads=threads, name=_node(name), sources=sources)

    def open(self) -> None:
        """Start everything, and wait until all servers are ready."""
        self.tend()
        for name in self.names(*SERVERS):
            self.wait_until_ready(name)

    def wait_until_ready(self, name: str) -> None:
        deadline = time.monotonic() + START_SECONDS
        while not self.is_ready(name):
            assert time.monotonic() < deadline, f"{name} is not ready in time"
            time.sleep(0.2)

    def is_whole(self) -> bool:
        """Return whether every process of the site is ready."""
        return all(self.is_ready(name) for name in self.names(*self.fleet))

    def is_ready(self, name: str) -> bool:
        """Return whether a server is ready, a worker answers, or a beat has opened its schedule."""
        from config.celery import app

        if name in self.ports:
            return _answers(f"http://127.0.0.1:{self.ports[name]}/readyz")
        if name.startswith("beat"):
            files = self.root.glob(f"{name}*")
            return any(file.stat().st_mtime > self.started_at[name] for file in files)
        node = f"{_node(name)}@{socket.gethostname()}"
        try:
            return bool(app.control.ping(destination=[node], timeout=2.0))
        except (OSError, OperationalError, RedisError):
            return False

    def tend(self) -> None:
        """Start what is not running, as a supervisor does; call it from the main thread."""
        for name, start in self.starts.items():
            child = self.processes.get(name)
            if child is None or child.poll() is not None:
                if child is not None:
                    self.ended_by_themselves[name] += 1
                self.started_at[name] = time.time()
                self.processes[name] = start()

    def kill(self, name: str) -> None:
        """End a process with its group by SIGKILL, as a crash would."""
        child = self.processes.pop(name)
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        self.kills[name] += 1

    def close(self) -> None:
        stop_children(list(self.processes.values()))
        self.servers.stop()


def _answers(url: str) -> bool:
    try:
        urllib.request.urlopen(url, timeout=5).close()
    except OSError:
        return False
    return True


def _node(name: str) -> str:
    """Return Celery's name of the worker "settle 1"."""
    return name.replace(" ", "-").replace(",", "-")
