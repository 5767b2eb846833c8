"""PostgreSQL kept by Patroni: two servers, three etcd that elect, HAProxy that follows.

Each server has a Patroni, which asks etcd who leads, and says so over HTTP (`/primary`,
`/replica`). HAProxy asks both and sends what writes to the one and what reads to the other. Both
run on the files in `deploy/`; the PostgreSQL is the product's own, whatever version Debian has.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

from core.db.binaries import CHECKOUT, reachable_binaries, server_user
from devtools import launcher
from devtools.children import start_child, stop_children
from devtools.postgres import DATABASE, OWNER_ROLE
from tests.builders.processes.product import free_port
from tests.builders.processes.waiting import until
from tests.trials.nodes.pair import WEB_LOGIN, superuser

PROGRAMS = ("patroni", "etcd", "haproxy")
NAMES = ("one", "two")
DEPLOY = CHECKOUT / "deploy"
Start = Callable[[], "subprocess.Popen[bytes]"]


class Node:
    """One server and the Patroni beside it, as if on a machine of their own."""

    def __init__(self, name: str, home: Path, etcd: list[int]) -> None:
        self.name, self.home = name, home
        self.port, self.rest = free_port(), free_port()
        self.cluster = home / "pg"
        home.mkdir(mode=0o700)
        rest, postgres = f"127.0.0.1:{self.rest}", f"127.0.0.1:{self.port}"
        self.environment = {
            "NAME": name,
            "RESTAPI_LISTEN": rest,
            "RESTAPI_CONNECT_ADDRESS": rest,
            "ETCD3_HOSTS": ",".join(f"127.0.0.1:{port}" for port in etcd),
            "POSTGRESQL_LISTEN": postgres,
            "POSTGRESQL_CONNECT_ADDRESS": postgres,
            "POSTGRESQL_DATA_DIR": str(self.cluster),
            "POSTGRESQL_BIN_DIR": str(reachable_binaries()),
            "POSTGRESQL_PGPASS": str(home / "pgpass"),
        }
        _hand_over(home)

    def start(self, log: Path) -> subprocess.Popen[bytes]:
        """Start its Patroni, a program of the system's Python, which must not find the product."""
        user = server_user()
        own = {f"PATRONI_{name}": value for name, value in self.environment.items()}
        return start_child(
            [_program("patroni"), self.home.parent / "patroni.yml"],
            log=log,
            env={"PATH": os.environ["PATH"], "LANG": "C.UTF-8"} | own,
            user=user.pw_uid if user else None,
            group=user.pw_gid if user else None,
        )

    def says(self, path: str) -> bool:
        """Return whether its Patroni answers with 200, as HAProxy asks it."""
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{self.rest}{path}", timeout=2).close()
        except (OSError, urllib.error.HTTPError):
            return False
        return True

    def is_confirmed(self) -> bool:
        """Return whether a replica follows that confirms each commit."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.rest}/patroni", timeout=2) as said:
                followers = json.load(said).get("replication", [])
        except OSError:
            return False
        return any(each["sync_state"] == "sync" for each in followers)

    def kill_postgres(self) -> None:
        """End the server by -9; its children notice."""
        with suppress(FileNotFoundError, ProcessLookupError):
            pid = int((self.cluster / "postmaster.pid").read_text().split("\n", 1)[0])
            os.kill(pid, signal.SIGKILL)


class PatroniCluster:
    """Two nodes, of which Patroni makes one the primary and the other its synchronous replica."""

    def __init__(self, servers: launcher.Servers) -> None:
        root, self.log = servers.data.root, servers.data.log
        postgres = servers.children.pop("postgres")
        with superuser(host=str(servers.data.run)) as connection:
            connection.execute(WEB_LOGIN)
            connection.execute("CREATE ROLE rummy_replica LOGIN REPLICATION")
        stop_children([postgres], signal.SIGINT, seconds=20.0)
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self.home = root / "patroni"
        self.home.mkdir(mode=0o711)
        self.etcd = [free_port() for _ in "123"]
        self.ports = {"primary": free_port(), "replica": free_port()}
        self.nodes = {name: Node(name, self.home / name, self.etcd) for name in NAMES}
        shutil.copy(DEPLOY / "patroni.yml", self.home)
        # What is there becomes the first node; the second copies it.
        first, second = self.nodes.values()
        shutil.move(root / "pg", first.cluster)
        with (first.cluster / "postgresql.conf").open("a") as settings:
            settings.write(f"unix_socket_directories = '{first.home}'\n")
        self._starts = self._plan_etcd() | {"haproxy": self._plan_haproxy()}
        self._starts[f"patroni {first.name}"] = partial(first.start, self.log / "patroni-1.log")
        self.tend()
        until(lambda: first.says("/primary"))
        self._starts[f"patroni {second.name}"] = partial(second.start, self.log / "patroni-2.log")
        self.tend()
        until(self.is_whole)

    @property
    def primary(self) -> str:
        return f"host=127.0.0.1 port={self.ports['primary']}"

    @property
    def replica(self) -> str:
        return f"host=127.0.0.1 port={self.ports['replica']}"

    @property
    def owner_url(self) -> str:
        return f"postgres://{OWNER_ROLE}@127.0.0.1:{self.ports['primary']}/{DATABASE}"

    @property
    def leader(self) -> Node:
        return next(node for node in self.nodes.values() if node.says("/primary"))

    def is_whole(self) -> bool:
        """Return whether one server leads and the other confirms its commits, as recorded in etcd.

        Patroni promotes only a server for which etcd has this record; others may lack commits.
        """
        nodes = self.nodes.values()
        leaders = [node for node in nodes if node.says("/primary") and node.is_confirmed()]
        others = [node for node in nodes if node not in leaders and node.says("/synchronous")]
        return bool(leaders and others)

    def tend(self) -> None:
        """Start what died, as systemd would."""
        for name, start in self._starts.items():
            process = self.processes.get(name)
            if process is None or process.poll() is not None:
                self.processes[name] = start()

    def lose_machine(self) -> str:
        """End the leader's Patroni and server at once by -9; return its name."""
        leader = self.leader
        patroni = self.processes[f"patroni {leader.name}"]
        os.killpg(patroni.pid, signal.SIGKILL)
        leader.kill_postgres()
        patroni.wait()
        return leader.name

    def switch_over(self) -> None:
        """Let the other one lead, as before work on a machine: `patronictl switchover`."""
        other = next(name for name in self.nodes if name != self.leader.name)
        asked = urllib.request.Request(
            f"http://127.0.0.1:{self.leader.rest}/switchover",
            json.dumps({"leader": self.leader.name, "candidate": other}).encode(),
            method="POST",
        )
        urllib.request.urlopen(asked, timeout=60).close()

    def close(self) -> None:
        patronis = [name for name in self.processes if name.startswith("patroni")]
        # Each stops its own PostgreSQL first.
        stop_children([self.processes.pop(name) for name in patronis], seconds=20.0)
        for node in self.nodes.values():
            node.kill_postgres()
        stop_children(list(self.processes.values()))

    def _plan_etcd(self) -> dict[str, Start]:
        peers = {f"etcd-{number}": free_port() for number in "123"}
        everybody = ",".join(f"{name}=http://127.0.0.1:{port}" for name, port in peers.items())
        starts: dict[str, Start] = {}
        for (name, peer), client in zip(peers.items(), self.etcd, strict=True):
            reached, talked = f"http://127.0.0.1:{client}", f"http://127.0.0.1:{peer}"
            options = {
                "name": name,
                "data-dir": self.home / name,
                "listen-client-urls": reached,
                "advertise-client-urls": reached,
                "listen-peer-urls": talked,
                "initial-advertise-peer-urls": talked,
                "initial-cluster": everybody,
            }
            command = [
                _program("etcd"),
                *(f"--{option}={value}" for option, value in options.items()),
            ]
            starts[name] = partial(start_child, command, log=self.log / f"{name}.log")
        return starts

    def _plan_haproxy(self) -> Start:
        text = (DEPLOY / "haproxy.cfg").read_text()
        changes = {":5000": f"127.0.0.1:{self.ports['primary']}"}
        changes[":5001"] = f"127.0.0.1:{self.ports['replica']}"
        for name, node in self.nodes.items():
            changes[f"db-{name}:5432 port 8008"] = f"127.0.0.1:{node.port} port {node.rest}"
        for old, new in changes.items():
            assert old in text
            text = text.replace(old, new)
        file = self.home / "haproxy.cfg"
        file.write_text(text)
        command = [_program("haproxy"), "-db", "-f", file]
        return partial(start_child, command, log=self.log / "haproxy.log")


def _program(name: str) -> str:
    found = shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin")
    assert found, f"{name} is not installed"
    return found


def _hand_over(path: Path) -> None:
    """Give files to whom PostgreSQL runs as."""
    if (user := server_user()) is not None:
        for each in (path, *path.rglob("*")):
            os.chown(each, user.pw_uid, user.pw_gid)
