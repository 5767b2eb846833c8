"""Processor time by who used it: unlike a rate, it hardly depends on what else the machine does."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

TICKS: Final = os.sysconf("SC_CLK_TCK")
SERVERS: Final = {"postgres": "PostgreSQL", "valkey-server": "Redis", "redis-server": "Redis"}


@contextmanager
def spending() -> Iterator[Counter[str]]:
    """Yield a counter that holds, afterwards, the seconds each kind of process has used."""
    used: Counter[str] = Counter()
    before = _spent()
    yield used
    for kind, seconds in _spent().items():
        used[kind] = seconds - before.get(kind, 0.0)


def per_piece(used: Mapping[str, float], pieces: int) -> str:
    """Say the milliseconds each piece of work has cost, by kind of process.

    >>> per_piece({"site": 0.5, "client": 0.25}, 100)
    '7.50 ms of processor each (client 2.50, site 5.00)'
    """
    shares = ", ".join(f"{kind} {1000 * used[kind] / pieces:.2f}" for kind in sorted(used))
    return f"{1000 * sum(used.values()) / pieces:.2f} ms of processor each ({shares})"


def resident_mb() -> float:
    """Return the resident memory of the site's processes that this one has started."""
    parents, pages = {}, {}
    for pid, name, fields in _processes():
        parents[pid] = int(fields[1])
        if name not in SERVERS and pid != os.getpid():
            pages[pid] = int(fields[21])
    resident = sum(number for pid, number in pages.items() if _descends(pid, parents))
    return resident * os.sysconf("SC_PAGE_SIZE") / 1e6


def _spent() -> dict[str, float]:
    """Return the seconds used so far by this process and all that descend from it, by kind."""
    parents, names, seconds = {}, {}, {}
    for pid, name, fields in _processes():
        names[pid], parents[pid] = name, int(fields[1])
        # User and system time, and that of its children which have ended.
        mine = sum(map(int, fields[11:13]))
        ended = 0 if pid == os.getpid() else sum(map(int, fields[13:15]))
        seconds[pid] = (mine + ended) / TICKS
    total: defaultdict[str, float] = defaultdict(float)
    for pid, used in seconds.items():
        if pid == os.getpid():
            total["client"] += used
        elif _descends(pid, parents):
            total[SERVERS.get(names[pid], "site")] += used
    return total


def _processes() -> Iterator[tuple[int, str, list[str]]]:
    """Yield each process's number, name and the fields after these in its `stat` (proc(5))."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            head, tail = stat.read_text().rsplit(")", 1)
        except OSError:  # It has ended meanwhile.
            continue
        yield int(stat.parent.name), head.split("(", 1)[1], tail.split()


def _descends(pid: int, parents: Mapping[int, int]) -> bool:
    while pid in parents:
        pid = parents[pid]
        if pid == os.getpid():
            return True
    return False
