"""An installation of several machines, with every part as a process on loopback.

PostgreSQL with a replica (`pair` or `patroni`), PgBouncer before both, two Valkeys with three
Sentinels, nginx with a throw-away certificate, two processes of `web` and of `live`, each queue's
worker twice, and two beats. The schema is its owner's; everything else signs in as `rummy_web`.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Callable
from functools import partial

from core.db.binaries import CHECKOUT
from devtools import launcher, stack
from devtools.children import start_child, stop_children
from devtools.datadir import throwaway_datadir
from devtools.postgres import DATABASE
from tests.builders.processes.pgbouncer import keeps_statements
from tests.builders.processes.product import free_port
from tests.builders.processes.proxy import rendered
from tests.builders.processes.sentinels import WatchedValkeys
from tests.cluster import MIGRATED, lay_migrated, make_migrated
from tests.rehearsal.pair import Pair
from tests.rehearsal.patroni import PROGRAMS, PatroniCluster
from tests.rehearsal.pooler import REPLICA_NAME, Pooler

START_SECONDS = 120.0
SERVERS = ("web", "live")
# How many processes there are of each kind; other kinds than these are the queues of a worker.
FLEET = dict.fromkeys(
    (*SERVERS, "settle", "bots", "exports", "messages", "clock", "beat"),
    2,
)
SMALL_FLEET = {"web": 2, "live": 1, "settle,bots,exports,messages": 1, "clock": 1, "beat": 1}
# What a program's Debian package is called where it is not called like the program.
PACKAGES = {"etcd": "etcd-server"}
Start = Callable[[], "subprocess.Popen[bytes]"]


def missing_programs(*, by_hand: bool) -> list[str]:
    """Return the programs that are not installed, by the names of their Debian packages."""
    path = f"{os.environ.get('PATH', '')}:/usr/sbin"
    wanted = ["nginx", "pgbouncer", *(() if by_hand else PROGRAMS)]
    return [PACKAGES.get(name, name) for name in wanted if shutil.which(name, path=path) is None]


class Site:
    """The processes by name, and how each is started; dies with this process."""

    def __init__(self, *, by_hand: bool, fleet: dict[str, int]) -> None:
        self.fleet = fleet
        os.environ.setdefault(MIGRATED, str(make_migrated()))
        data = throwaway_datadir()
        data.prepare()
        lay_migrated(data.root)
        self.valkeys = WatchedValkeys(data.root / "valkey")
        os.environ["REDIS_URL"] = self.valkeys.url
        servers = launcher.start(data)
        assert servers is not None, "a throw-away directory is nobody else's"
        self.servers, self.root, self.log = servers, data.root, data.log
        self.kills: Counter[str] = Counter()
        self.ended_by_themselves: Counter[str] = Counter()
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self.started_at: dict[str, float] = {}
        self.database = Pair(servers) if by_hand else PatroniCluster(servers)
        self.pooler = Pooler(data.root / "pooler", self.database)
        # Where the code of processes comes from that are started from now on.
        self.sources = CHECKOUT
        self.ports = {name: free_port() for name in ("plain", "tls", *self.names(*SERVERS))}
        # Where the next process of a kind listens beside the one that it replaces.
        self.spare_ports = {kind: free_port() for kind in SERVERS}
        self._set_environment()
        self._starts: dict[str, Start] = {"pooler": self.pooler.start} | self._application()
        self._starts["proxy"] = self._start_proxy

    def _set_environment(self) -> None:
        os.environ.update(
            DATABASE_OWNER_URL=self.database.owner_url,
            DATABASE_URL=self.pooler.url(DATABASE),
            REPLICA_URL=self.pooler.url(REPLICA_NAME),
            DATABASE_POOLER="transaction",
            DATABASE_POOLER_PREPARES=str(keeps_statements()),
            DATABASE_ROLE="",
            HTTPS="1",
            TRUSTED_PROXY_COUNT="1",
            DATABASE_POOL_MAX="4",
        )

    def names(self, *kinds: str) -> list[str]:
        """Return the names of all processes of these kinds: "web 1", "web 2"."""
        return [f"{kind} {number + 1}" for kind in kinds for number in range(self.fleet[kind])]

    def _application(self) -> dict[str, Start]:
        return {
            name: partial(self._start, kind, name)
            for kind in self.fleet
            for name in self.names(kind)
        }

    def _start(self, kind: str, name: str) -> subprocess.Popen[bytes]:
        log = self.log / f"{name}.log"
        if kind in SERVERS:
            return self._serve(kind, name)
        if kind == "beat":
            return stack.start_beat(self.root / name, log, sources=self.sources)
        return stack.start_worker(
            kind,
            log,
            threads=1 if kind == "clock" else 2,
            name=_node(name),
            sources=self.sources,
        )

    def _serve(self, kind: str, name: str) -> subprocess.Popen[bytes]:
        options = ("--threads", "4") if kind == "web" else ()
        log = self.log / f"{name}.log"
        return stack.start_server(
            kind, "127.0.0.1", self.ports[name], log, *options, sources=self.sources
        )

    def _start_proxy(self) -> subprocess.Popen[bytes]:
        home = self.root / "proxy"
        home.mkdir(exist_ok=True)
        config = rendered(home, ports=(self.ports["plain"], self.ports["tls"]))
        text = config.read_text().replace("set $web 127.0.0.1:1", "set $web web", 1)
        text = text.replace("set $live 127.0.0.1:1", "set $live live", 1)
        # Its login is of all kinds: `web` receives gateways, too.
        text = text.replace("set $intake 127.0.0.1:1", "set $intake web", 1)
        # One address stands for everybody here.
        for limit in ("limit_req zone", "limit_conn connections", "limit_conn sockets"):
            text = text.replace(limit, f"# {limit}")
        groups = "".join(self._upstream(kind) for kind in SERVERS)
        config.write_text(text.replace("http {\n", f"http {{\n{groups}", 1))
        nginx = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
        assert nginx
        command = [nginx, "-c", config, "-g", "daemon off;"]
        return start_child(command, log=self.log / "proxy.log")

    def _upstream(self, kind: str) -> str:
        ports = (*(self.ports[name] for name in self.names(kind)), self.spare_ports[kind])
        members = (f"server 127.0.0.1:{port} max_fails=0;" for port in ports)
        return f"upstream {kind} {{ {' '.join(members)} }}\n"

    @property
    def tls(self) -> ssl.SSLContext:
        trusting = ssl.create_default_context()
        trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
        return trusting

    def open(self) -> None:
        """Start everything, and wait until all four servers say that they are ready."""
        self.tend()
        for name in self.names(*SERVERS):
            self.wait_until_ready(name)

    def wait_until_ready(self, name: str) -> None:
        deadline = time.monotonic() + START_SECONDS
        while not self.is_ready(name):
            assert time.monotonic() < deadline, f"{name} is not ready in time"
            time.sleep(0.2)

    def is_ready(self, name: str) -> bool:
        """Return whether a server says so, a worker answers, or a beat has opened its schedule."""
        if name in self.ports:
            return _answers(f"http://127.0.0.1:{self.ports[name]}/readyz")
        if name.startswith("beat"):
            files = self.root.glob(f"{name}*")
            return any(file.stat().st_mtime > self.started_at[name] for file in files)
        from config.celery import app

        node = f"{_node(name)}@{socket.gethostname()}"
        return bool(app.control.ping(destination=[node], timeout=2.0))

    def tend(self) -> None:
        """Start what is not running, as a supervisor does; call it from the main thread."""
        self.database.tend()
        for name, start in self._starts.items():
            child = self.processes.get(name)
            if child is None or child.poll() is not None:
                if child is not None:
                    self.ended_by_themselves[name] += 1
                self.started_at[name] = time.time()
                self.processes[name] = start()

    def kill(self, name: str) -> None:
        """End a process with its group by -9, as a crash would."""
        processes = self.database.processes if name in self.database.processes else self.processes
        child = processes.pop(name)
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        self.kills[name] += 1

    def roll_servers(self) -> None:
        """Roll `web` and `live` over, one process after the other: the new one is ready first."""
        for kind in SERVERS:
            for name in self.names(kind):
                old = self.processes.pop(name)
                self.ports[name], self.spare_ports[kind] = self.spare_ports[kind], self.ports[name]
                self.tend()
                self.wait_until_ready(name)
                stop_children([old], seconds=10.0)

    def roll_others(self) -> None:
        """Roll workers and beats over, one after the other, while the other of its kind works."""
        for name in self.names(*(kind for kind in self.fleet if kind not in SERVERS)):
            stop_children([self.processes.pop(name)], seconds=10.0)
            self.tend()
            self.wait_until_ready(name)

    def close(self) -> None:
        stop_children(list(self.processes.values()))
        self.database.close()
        self.valkeys.stop()
        self.servers.stop()
        if sys.pycache_prefix:  # What was compiled of the releases goes with them.
            shutil.rmtree(f"{sys.pycache_prefix}{self.root}", ignore_errors=True)


def _answers(url: str) -> bool:
    try:
        urllib.request.urlopen(url, timeout=5).close()
    except OSError:
        return False
    return True


def _node(name: str) -> str:
    """Return what Celery calls the worker "settle 1"."""
    return name.replace(" ", "-").replace(",", "-")
