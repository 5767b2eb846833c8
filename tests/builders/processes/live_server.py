"""The servers of `config.serving.serve` in separate processes, on the test database."""

from __future__ import annotations

import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from config.serving import serve
from devtools.children import start_child, stop_children
from tests.builders.processes.product import free_port

START_SECONDS = 120.0


@contextmanager
def running(
    server: str, environment: dict[str, str], log: Path, *options: str
) -> Iterator[tuple[int, subprocess.Popen[bytes]]]:
    """Start a server; yield its port and its process once it answers."""
    port = free_port()
    command = serve.command(server, "127.0.0.1", port, "--stop-seconds", "2", *options)
    child = start_child(command, log=log, death_signal=signal.SIGKILL, env=environment)
    try:
        deadline = time.monotonic() + START_SECONDS
        while not _listens(port):
            assert child.poll() is None, log.read_text()
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.05)
        yield port, child
    finally:
        stop_children([child], seconds=10)


def _listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


async def application(scope, receive, send):
    """Answer every request with the length of its body, and every message with itself.

    A message of digits is answered with as many kilobytes.
    """
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
        while (message := await receive())["type"] != "websocket.disconnect":
            if message["type"] == "websocket.receive":
                text = message["text"]
                for _ in range(int(text) if text.isdigit() else 0):
                    await send({"type": "websocket.send", "text": "x" * 1024})
                await send({"type": "websocket.send", "text": text})
        return
    length = 0
    while True:
        message = await receive()
        length += len(message.get("body", b""))
        if not message.get("more_body"):
            break
    headers = [(b"content-length", str(len(str(length))).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": str(length).encode()})
