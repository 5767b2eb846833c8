"""Start the product as a user would, in separate processes, and check what remains."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[3]
START_SECONDS = 60.0
# A directory for PostgreSQL that root starts as another user; pytest's directories are private.
PUBLIC_TEMP = "/var/tmp"  # noqa: S108
# The test run's own servers are not the product's.
OWN_SERVERS = {
    "DATABASE_URL",
    "REDIS_URL",
    "SECRET_KEY",
    "DEAL_KEYS",
    "PAYEE_KEYS",
    "IDENTITY_KEYS",
    "DJANGO_SETTINGS_MODULE",
    "RUMMY_TEST_SERVERS",
}


def environment(**extra: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in OWN_SERVERS}
    return kept | extra


def run(*arguments: str, **extra: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=CHECKOUT,
        env=environment(**extra),
        capture_output=True,
        text=True,
        timeout=START_SECONDS,
        check=False,
    )


def run_program(program: str, *arguments: str, **extra: str) -> subprocess.CompletedProcess[str]:
    """Run Python's code in a process of its own, with the product's settings; it must succeed."""
    given = {"RUMMY_EPHEMERAL": "1", "DJANGO_SETTINGS_MODULE": "config.settings"} | extra
    return subprocess.run(
        [sys.executable, "-c", program, *arguments],
        cwd=CHECKOUT,
        env=environment(**given),
        capture_output=True,
        text=True,
        check=True,
    )


class RunningDemo:
    """One `manage.py demo`, started and waited for."""

    def __init__(
        self, data: Path, port: int = 0, options: Sequence[str] = (), **extra: str
    ) -> None:
        self.data = data
        self.port = port or free_port()
        self.process = subprocess.Popen(
            [
                sys.executable,
                "manage.py",
                "demo",
                "--port",
                str(self.port),
                "--data-dir",
                str(data),
                *options,
            ],
            cwd=CHECKOUT,
            env=environment(**extra),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.greeting = self._wait_for_greeting()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def password(self) -> str:
        found = re.search(r"asha@example\.com\s+(\S+)", self.greeting)
        assert found, self.greeting
        return found[1]

    def processes(self) -> set[int]:
        """Every process that was started for this data directory, at whatever depth."""
        return descendants(self.process.pid) | {self.process.pid}

    def stop(self, sig: signal.Signals = signal.SIGTERM) -> float:
        """Send `sig` and return the seconds until the command was gone."""
        began = time.monotonic()
        self.process.send_signal(sig)
        self.process.wait(timeout=60)
        return time.monotonic() - began

    def _wait_for_greeting(self) -> str:
        assert self.process.stdout is not None
        lines: list[str] = []
        for line in self.process.stdout:
            lines.append(line)
            if "Ctrl-C" in line:
                return "".join(lines)
        raise AssertionError("".join(lines))


def free_port() -> int:
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def descendants(pid: int) -> set[int]:
    """Children of `pid`, theirs, and so on, read from the process table."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
            except (OSError, IndexError):
                continue
            children.setdefault(parent, []).append(int(entry.name))
    found: set[int] = set()
    queue = [pid]
    while queue:
        for child in children.get(queue.pop(), []):
            found.add(child)
            queue.append(child)
    return found


def still_alive(pids: set[int]) -> set[int]:
    """Those that run; a zombie waits only for its parent and holds nothing."""
    alive = set()
    for pid in pids:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
        except OSError:
            continue
        if state != "Z":
            alive.add(pid)
    return alive


def wait_until_gone(pids: set[int]) -> set[int]:
    """Wait for all to end; return those that did not."""
    deadline = time.monotonic() + 30
    while (left := still_alive(pids)) and time.monotonic() < deadline:
        time.sleep(0.05)
    return left
