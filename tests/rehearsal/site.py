"""A house as it is run on several machines, every part a process of its own on loopback.

PostgreSQL with a streaming replica that confirms each commit, PgBouncer before them, Valkey, nginx
with a throw-away certificate, two processes of `web` and of `live`, each queue's worker twice, and
two beats. The schema is its owner's; everything else signs in as `rummy_web`.
"""

from __future__ import annotations

import os
import shutil
import signal
import ssl
import subprocess
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import psycopg

from embedded import launcher, stack
from embedded.children import start_child, stop_children
from embedded.datadir import DataDir, throwaway_datadir
from embedded.postgres import DATABASE, start_postgres
from embedded.valkey import start_valkey
from tests.builders.processes.product import free_port
from tests.builders.processes.proxy import rendered
from tests.builders.processes.standby import copy_cluster
from tests.cluster import MIGRATED, lay_migrated, make_migrated
from tests.rehearsal.pooler import REPLICA_NAME, Pooler

START_SECONDS = 60.0
QUEUES = ("settle", "bots", "exports", "messages", "clock")
# As deploy/postgres-roles.sh makes it.
WEB_LOGIN = """
    CREATE ROLE rummy_web LOGIN IN ROLE rummy_app;
    GRANT rummy_web TO rummy_owner;
    ALTER ROLE rummy_web SET idle_in_transaction_session_timeout = '10s';
    ALTER ROLE rummy_web SET lock_timeout = '15s';
    ALTER ROLE rummy_web SET statement_timeout = '30s';
"""
Start = Callable[[], "subprocess.Popen[bytes]"]


def missing_programs() -> list[str]:
    """Return the programs that are not installed, by the names of their Debian packages."""
    path = f"{os.environ.get('PATH', '')}:/usr/sbin"
    return [name for name in ("nginx", "pgbouncer") if shutil.which(name, path=path) is None]


class Site:
    """The processes by name, and how each is started; dies with this process."""

    def __init__(self) -> None:
        os.environ.setdefault(MIGRATED, str(make_migrated()))
        self.data, self.replica = throwaway_datadir(), throwaway_datadir()
        self.data.prepare()
        lay_migrated(self.data.root)
        self.primary = self.data
        self.kills: Counter[str] = Counter()
        self.ended_by_themselves: Counter[str] = Counter()
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self._starts: dict[str, Start] = {}
        servers = launcher.start(self.data)
        assert servers is not None, "a throw-away directory is nobody else's"
        self.servers = servers
        self.processes |= {
            "primary": servers.children["postgres"],
            "valkey": servers.children["valkey"],
        }
        with _superuser(self.data) as connection:
            connection.execute(WEB_LOGIN)  # type: ignore[arg-type]  # Not written by strangers.
        self._copy_to_replica()
        self.pooler = Pooler(self.data.root / "pooler", self.data.run, self.replica.run)
        self._set_environment()
        self._plan()

    def _copy_to_replica(self) -> None:
        """Copy the primary as it runs, and let it wait for the copy at every commit from now on."""
        copy_cluster(self.data.run, self.replica)
        self._replica_lock = self.replica.lock()
        self.start_replica()
        with _superuser(self.data) as connection:
            connection.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
            connection.execute("SELECT pg_reload_conf()")

    def _set_environment(self) -> None:
        self.ports = {
            name: free_port() for name in ("plain", "tls", "web 1", "web 2", "live 1", "live 2")
        }
        os.environ.update(
            DATABASE_OWNER_URL=os.environ["DATABASE_URL"],
            DATABASE_URL=self.pooler.url("rummy_web", DATABASE),
            REPLICA_URL=self.pooler.url("rummy_web", REPLICA_NAME),
            DATABASE_POOLER="transaction",
            DATABASE_ROLE="",
            HTTPS="1",
            TRUSTED_PROXY_COUNT="1",
            DATABASE_POOL_MAX="4",
        )

    def _plan(self) -> None:
        log, ports = self.data.log, self.ports
        self._starts["pooler"] = self.pooler.start
        for number in "12":
            for kind in ("web", "live"):
                name = f"{kind} {number}"
                self._starts[name] = lambda n=name, k=kind: _serve(k, ports[n], log / f"{n}.log")
            for queue in QUEUES:
                name = f"{queue} {number}"
                threads = 1 if queue == "clock" else 2
                self._starts[name] = lambda q=queue, n=name, t=threads, i=number: (
                    stack.start_worker(q, log / f"{n}.log", threads=t, name=f"{q}-{i}")
                )
            name = f"beat {number}"
            self._starts[name] = lambda n=name: stack.start_beat(
                self.data.root / n, log / f"{n}.log"
            )
        self._starts["proxy"] = self._start_proxy

    def _start_proxy(self) -> subprocess.Popen[bytes]:
        home = self.data.root / "proxy"
        home.mkdir(exist_ok=True)
        config = rendered(home, ports=(self.ports["plain"], self.ports["tls"]))
        text = config.read_text().replace("set $web 127.0.0.1:1", "set $web web", 1)
        text = text.replace("set $live 127.0.0.1:1", "set $live live", 1)
        # One address stands for everybody here.
        text = text.replace("limit_req zone", "# limit_req zone")
        groups = "".join(
            f"upstream {kind} {{ server 127.0.0.1:{self.ports[f'{kind} 1']} max_fails=0;"
            f" server 127.0.0.1:{self.ports[f'{kind} 2']} max_fails=0; }}\n"
            for kind in ("web", "live")
        )
        config.write_text(text.replace("http {\n", f"http {{\n{groups}", 1))
        nginx = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
        assert nginx
        command = [nginx, "-c", config, "-g", "daemon off;"]
        return start_child(command, log=self.data.log / "proxy.log")

    @property
    def tls(self) -> ssl.SSLContext:
        trusting = ssl.create_default_context()
        trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
        return trusting

    @property
    def names(self) -> list[str]:
        return list(self._starts)

    def open(self) -> None:
        """Start everything, and wait until all four servers say that they are ready."""
        self.tend()
        for name in ("web 1", "web 2", "live 1", "live 2"):
            self.wait_until_ready(name)

    def wait_until_ready(self, name: str) -> None:
        deadline = time.monotonic() + START_SECONDS
        while not self.is_ready(name):
            assert time.monotonic() < deadline, f"{name} is not ready within a minute"
            time.sleep(0.2)

    def is_ready(self, name: str) -> bool:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{self.ports[name]}/readyz", timeout=5).close()
        except OSError:
            return False
        return True

    def tend(self) -> None:
        """Start what is not running, as a supervisor does; call it from the main thread."""
        for name, start in self._starts.items():
            child = self.processes.get(name)
            if child is None or child.poll() is not None:
                if child is not None:
                    self.ended_by_themselves[name] += 1
                self.processes[name] = start()

    def kill(self, name: str) -> None:
        """End a process with its group by -9, as a crash would."""
        child = self.processes.pop(name)
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        self.kills[name] += 1

    def start_replica(self) -> None:
        self.processes["replica"], _ = start_postgres(self.replica, durable=True)

    def kill_valkey(self) -> None:
        self.kill("valkey")

    def start_valkey(self) -> None:
        self.processes["valkey"], _ = start_valkey(self.data)
        self.servers.children["valkey"] = self.processes["valkey"]

    def roll(self, name: str) -> None:
        """Stop a process as a release does, start it anew, and wait for it."""
        child = self.processes.pop(name)
        stop_children([child], seconds=10.0)
        self.tend()
        if name in self.ports:
            self.wait_until_ready(name)

    def promote_replica(self) -> None:
        """Lose the primary by -9, let the replica write, and point the pooler to it."""
        self.kill("primary")
        self.servers.children.pop("postgres")
        with _superuser(self.replica) as connection:
            connection.execute("SELECT pg_promote()")
        self.primary = self.replica
        self.pooler.point_to(self.replica.run)
        os.kill(self.processes["pooler"].pid, signal.SIGHUP)

    def close(self) -> None:
        replica = self.processes.pop("replica", None)
        for name in ("primary", "valkey"):
            self.processes.pop(name, None)
        stop_children(list(self.processes.values()))
        self.servers.stop()
        stop_children([replica] if replica else [], signal.SIGINT)
        self.replica.remove()


def _serve(kind: str, port: int, log: Path) -> subprocess.Popen[bytes]:
    options = ("--threads", "4") if kind == "web" else ()
    return stack.start_server(kind, "127.0.0.1", port, log, *options)


def _superuser(data: DataDir) -> psycopg.Connection:
    return psycopg.connect(host=str(data.run), user="postgres", dbname=DATABASE, autocommit=True)
