"""Processes of one tree: started, measured by processor time and memory, and ended by number."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

TICKS: Final = os.sysconf("SC_CLK_TCK")
STOP_SECONDS: Final = 30.0
# Ends the program with this process, however this process ends (prctl, PR_SET_PDEATHSIG).
BOUND: Final = (
    "import ctypes, os, sys; ctypes.CDLL(None).prctl(1, 15); os.execv(sys.argv[1], sys.argv[1:])"
)
SERVERS: Final = {"postgres": "PostgreSQL", "valkey-server": "Redis", "redis-server": "Redis"}


def start(
    command: Sequence[str], *, cwd: Path, environment: Mapping[str, str], log: Path
) -> subprocess.Popen[bytes]:
    """Start a program that ends with this process; its output goes to `log`."""
    with log.open("ab") as output:
        return subprocess.Popen(
            [sys.executable, "-c", BOUND, *command],
            cwd=cwd,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,  # Ctrl-C reaches this process alone, which then ends it.
        )


def stop(child: subprocess.Popen[bytes]) -> None:
    """End a child and wait for it; kill it if it does not end in time."""
    if child.poll() is None:
        child.terminate()
        try:
            child.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()


def processor_seconds(*roots: int) -> dict[str, float]:
    """Return the processor time of these processes and their descendants, by kind of program."""
    total: defaultdict[str, float] = defaultdict(float)
    for _, name, fields in _family(roots):
        # User and system time, and that of its children which have ended (proc(5)).
        total[SERVERS.get(name, "site")] += sum(map(int, fields[11:15])) / TICKS
    return total


def memory_mb(*roots: int) -> float:
    """Return the proportional set size of these processes and their descendants."""
    return sum(_pss_kb(pid) for pid, _, _ in _family(roots)) / 1024


class Paused:
    """Suspend the descendants of a process that a word names, within the block.

    A program has the word in its command line; a fork without a program of its own has it as name.
    """

    def __init__(self, root: int, word: str) -> None:
        self.pids = [
            pid for pid, name, _ in _family([root]) if name == word or word in _command_line(pid)
        ]

    def __enter__(self) -> Paused:
        self._send(signal.SIGSTOP)
        time.sleep(0.3)  # Until what it had sent is done.
        return self

    def __exit__(self, *_: object) -> None:
        self._send(signal.SIGCONT)

    def _send(self, number: signal.Signals) -> None:
        for pid in self.pids:
            os.kill(pid, number)


def _family(roots: Sequence[int]) -> list[tuple[int, str, list[str]]]:
    processes = list(_processes())
    parents = {pid: int(fields[1]) for pid, _, fields in processes}
    return [process for process in processes if _descends(process[0], roots, parents)]


def _descends(pid: int, roots: Sequence[int], parents: Mapping[int, int]) -> bool:
    while pid in parents and pid not in roots:
        pid = parents[pid]
    return pid in roots


def _processes() -> Iterator[tuple[int, str, list[str]]]:
    """Yield each process's number, its name, and the fields after these in its `stat`."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            head, tail = stat.read_text().rsplit(")", 1)
        except OSError:  # It has ended meanwhile.
            continue
        yield int(stat.parent.name), head.split("(", 1)[1], tail.split()


def _command_line(pid: int) -> list[str]:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().split("\0")
    except OSError:
        return []


def _pss_kb(pid: int) -> int:
    try:
        rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:  # It has ended, or belongs to somebody else.
        return 0
    return next(int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:"))
