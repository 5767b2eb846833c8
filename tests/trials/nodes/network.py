"""Drop every packet to and from a port without closing connections."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

MARK = "pool-rummy-rehearsal"


def can_drop() -> bool:
    """Return whether this process may tell the kernel to drop packets."""
    program = _program()
    if program is None or os.geteuid() != 0:
        return False
    return (
        subprocess.run([program, "-w", "-S", "INPUT"], capture_output=True, check=False).returncode
        == 0
    )


@contextmanager
def silence(port: int) -> Iterator[None]:
    """Drop what goes to the port and comes from it: no FIN and no RST, nothing is acknowledged.

    Connections stay open on both sides until one of them gives up, and new ones are not answered.
    """
    rules = [("--dport", str(port)), ("--sport", str(port))]
    for rule in rules:
        _change("-I", rule)
    try:
        yield
    finally:
        for rule in rules:
            _change("-D", rule)


def _change(how: str, rule: tuple[str, str]) -> None:
    program = _program()
    assert program
    matching = ["-i", "lo", "-p", "tcp", *rule, "-m", "comment", "--comment", MARK, "-j", "DROP"]
    subprocess.run([program, "-w", how, "INPUT", *matching], check=True)


def _program() -> str | None:
    return shutil.which("iptables", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
