"""A master and a replica of Valkey, and three Sentinels that watch them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import redis

from devtools.children import start_child, stop_children
from devtools.valkey import server_program
from tests.builders.processes.product import free_port
from tests.builders.processes.waiting import until

NAME = "main"


class WatchedValkeys:
    """The processes, on loopback; `url` is what `REDIS_URL` takes."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.children: list[subprocess.Popen[bytes]] = []
        master, replica = free_port(), free_port()
        self.servers = {
            master: self._server(master),
            replica: self._server(replica, "--replicaof", "127.0.0.1", str(master)),
        }
        until(lambda: _answers(master) and _answers(replica))
        until(lambda: redis.Redis(port=replica).info("replication")["master_link_status"] == "up")
        self.sentinels = [free_port() for _ in range(3)]
        self.watching = {port: self._sentinel(port, master) for port in self.sentinels}
        until(lambda: all(_knows_all(port) for port in self.sentinels))
        self.replica_port = replica

    @property
    def url(self) -> str:
        hosts = ",".join(f"127.0.0.1:{port}" for port in self.sentinels)
        return f"sentinel://{hosts}/{NAME}/0"

    @property
    def master_port(self) -> int:
        """Where the Sentinels say that the master is."""
        port: int = redis.Redis(port=self.sentinels[0]).sentinel_master(NAME)["port"]
        return port

    def kill_master(self) -> int:
        """End the master by -9; return its port."""
        return _kill(self.servers, self.master_port)

    def kill_replica(self) -> int:
        """End the replica by -9; return its port."""
        master = self.master_port
        return _kill(self.servers, next(port for port in self.servers if port != master))

    def kill_sentinel(self) -> int:
        """Kill the Sentinel that clients ask first (SIGKILL); return its port."""
        return _kill(self.watching, self.sentinels[0])

    def bring_sentinel_back(self, port: int) -> None:
        """Start a lost Sentinel again with its stored state."""
        self.watching[port] = self._watch(port)
        until(lambda: _knows_all(port))

    def bring_back(self, port: int) -> None:
        """Start a lost server again, empty, as a replica of the next master.

        The Sentinels would make it one by themselves, after eight to ten seconds.
        """
        self.servers[port] = self._server(port, "--replicaof", "127.0.0.1", str(self.master_port))
        until(
            lambda: _answers(port) and redis.Redis(port=port).info("replication")["role"] == "slave"
        )

    def stop(self) -> None:
        stop_children(self.children)

    def _server(self, port: int, *more: str) -> subprocess.Popen[bytes]:
        where = ["--bind", "127.0.0.1", "--port", str(port), "--save", "", *more]
        where += ["--dir", str(self._home(port))]
        return self._start(port, where)

    def _sentinel(self, port: int, master: int) -> subprocess.Popen[bytes]:
        settings = self._home(port) / "sentinel.conf"
        settings.write_text(
            f"bind 127.0.0.1\nport {port}\ndir {settings.parent}\n"
            f"sentinel monitor {NAME} 127.0.0.1 {master} 2\n"
            f"sentinel down-after-milliseconds {NAME} 1000\n"
            f"sentinel failover-timeout {NAME} 5000\n"
        )
        return self._watch(port)

    def _watch(self, port: int) -> subprocess.Popen[bytes]:
        return self._start(port, [str(self._home(port) / "sentinel.conf"), "--sentinel"])

    def _start(self, port: int, arguments: list[str]) -> subprocess.Popen[bytes]:
        log = self.directory / f"{port}.log"
        self.children.append(start_child([server_program(), *arguments], log=log))
        return self.children[-1]

    def _home(self, port: int) -> Path:
        home = self.directory / str(port)
        home.mkdir(exist_ok=True)
        return home


def _kill(processes: dict[int, subprocess.Popen[bytes]], port: int) -> int:
    processes[port].kill()
    processes[port].wait()
    return port


def _answers(port: int) -> bool:
    try:
        return bool(redis.Redis(port=port).ping())
    except redis.ConnectionError:
        return False


def _knows_all(port: int) -> bool:
    """Return whether a Sentinel knows the replica and both other Sentinels."""
    if not _answers(port):
        return False
    state = redis.Redis(port=port).sentinel_master(NAME)
    return (state["num-slaves"], state["num-other-sentinels"]) == (1, 2)
