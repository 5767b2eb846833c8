"""An installation of several machines, with every part as a process on loopback.

PostgreSQL with a replica (`pair` or `patroni`), PgBouncer in front of both, two Valkeys with three
Sentinels, nginx with a temporary certificate, two processes of `web` and of `live`, each queue's
worker twice, and two beats. The schema is its owner's; everything else signs in as `rummy_web`.
"""

from __future__ import annotations

import os
import shutil
import ssl
import subprocess
import sys
from collections.abc import Mapping
from typing import Final

from devtools.children import start_child, stop_children
from devtools.postgres import DATABASE
from tests.builders.processes.pgbouncer import keeps_statements
from tests.builders.processes.product import free_port
from tests.builders.processes.proxy import rendered
from tests.builders.processes.sentinels import WatchedValkeys
from tests.trials.installation import SERVERS, Installation, migrated_datadir
from tests.trials.nodes.pair import Pair
from tests.trials.nodes.patroni import PROGRAMS, PatroniCluster
from tests.trials.nodes.pooler import REPLICA_NAME, Pooler

QUEUES: Final = ("settle", "bots", "exports", "messages")
FLEET: Final = dict.fromkeys((*SERVERS, *QUEUES, "clock", "beat"), 2)
SMALL_FLEET: Final = {"web": 2, "live": 1, ",".join(QUEUES): 1, "clock": 1, "beat": 1}
# Debian packages whose name differs from their program's.
PACKAGES: Final = {"etcd": "etcd-server"}


def missing_programs(*, by_hand: bool) -> list[str]:
    """Return the programs that are not installed, by the names of their Debian packages."""
    path = f"{os.environ.get('PATH', '')}:/usr/sbin"
    wanted = ["nginx", "pgbouncer", *(() if by_hand else PROGRAMS)]
    return [PACKAGES.get(name, name) for name in wanted if shutil.which(name, path=path) is None]


class MultiNode(Installation):
    """The installation of `fleet` with its database, pooler, Valkeys and proxy."""

    def __init__(self, fleet: Mapping[str, int], *, by_hand: bool) -> None:
        data = migrated_datadir()
        self.valkeys = WatchedValkeys(data.root / "valkey")
        os.environ["REDIS_URL"] = self.valkeys.url
        super().__init__(data, fleet, durable=True)
        self.database = Pair(self.servers) if by_hand else PatroniCluster(self.servers)
        self.pooler = Pooler(data.root / "pooler", self.database)
        self.ports |= {name: free_port() for name in ("plain", "tls")}
        # Where the next process of a kind listens beside the one that it replaces.
        self.spare_ports = {kind: free_port() for kind in SERVERS}
        self.starts = {"pooler": self.pooler.start} | self.starts | {"proxy": self._start_proxy}
        self.tls = ssl.create_default_context()
        self.tls.check_hostname, self.tls.verify_mode = False, ssl.CERT_NONE
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

    @property
    def port(self) -> int:
        return self.ports["tls"]

    def _start_proxy(self) -> subprocess.Popen[bytes]:
        home = self.root / "proxy"
        home.mkdir(exist_ok=True)
        config = rendered(home, ports=(self.ports["plain"], self.ports["tls"]))
        text = config.read_text().replace("set $web 127.0.0.1:1", "set $web web", 1)
        text = text.replace("set $live 127.0.0.1:1", "set $live live", 1)
        # Its login is of all kinds: `web` receives gateways, too.
        text = text.replace("set $intake 127.0.0.1:1", "set $intake web", 1)
        # All simulated people have one address.
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

    def tend(self) -> None:
        self.database.tend()
        super().tend()

    def kill(self, name: str) -> None:
        if name in self.database.processes:
            self.processes[name] = self.database.processes.pop(name)
        super().kill(name)

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
