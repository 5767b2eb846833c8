"""A whole site on servers of its own, whose processes may be killed at any moment."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
import urllib.request
from collections import Counter
from collections.abc import Callable

from kombu.exceptions import OperationalError
from redis import RedisError

from devtools import launcher, stack
from devtools.children import stop_children
from devtools.datadir import throwaway_datadir
from devtools.valkey import start_valkey

START_SECONDS = 60.0
WORKERS = 2


class Site:
    """Web, worker, clock, beat and Valkey, each started anew after its death."""

    def __init__(self) -> None:
        servers = launcher.start(throwaway_datadir(), durable=False)
        assert servers is not None, "a throw-away directory is nobody else's"
        self.servers = servers
        self.port = _free_port()
        self.kills: Counter[str] = Counter()
        self.ended_by_themselves: Counter[str] = Counter()
        log = servers.data.log
        self._starts: dict[str, Callable[[], subprocess.Popen[bytes]]] = {
            "web": lambda: stack.start_web("127.0.0.1", self.port, log / "web.log"),
            "worker": lambda: stack.start_worker(
                "settle,bots,exports,messages,intake", log / "worker.log"
            ),
            "clock": lambda: stack.start_worker("clock", log / "clock.log", threads=1),
            "beat": lambda: stack.start_beat(servers.data.root / "beat", log / "beat.log"),
            "redis": lambda: start_valkey(servers.data)[0],
        }
        self.processes = {"redis": servers.children["valkey"]}

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def names(self) -> list[str]:
        return list(self._starts)

    def open(self) -> None:
        """Start what is not there yet and wait for the first page."""
        self.tend()
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                urllib.request.urlopen(f"{self.url}/", timeout=5).close()
            except OSError:
                assert time.monotonic() < deadline, "no page within a minute"
                time.sleep(0.1)
            else:
                return

    def answers(self) -> bool:
        """Return whether the web answers, and both workers."""
        from config.celery import app

        try:
            urllib.request.urlopen(f"{self.url}/healthz", timeout=5).close()
            return len(app.control.ping(timeout=2.0)) == WORKERS
        except (OSError, OperationalError, RedisError):
            return False

    def kill(self, name: str) -> None:
        """End a process with its group by -9, as a crash would."""
        child = self.processes.pop(name)
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        self.kills[name] += 1

    def tend(self) -> None:
        """Start whatever is not running, as a supervisor does; call it from the main thread."""
        for name, start in self._starts.items():
            child = self.processes.get(name)
            if child is not None and child.poll() is None:
                continue
            if child is not None:
                self.ended_by_themselves[name] += 1
            self.processes[name] = start()
            if name == "redis":
                self.servers.children["valkey"] = self.processes[name]

    def close(self) -> None:
        stop_children([child for name, child in self.processes.items() if name != "redis"])
        self.servers.stop()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
