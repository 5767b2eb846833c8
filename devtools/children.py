"""Processes that never outlive this one, even after kill -9."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

PR_SET_PDEATHSIG = 1
# Loaded before any fork: afterwards only the call itself is left to do.
LIBC = ctypes.CDLL(None, use_errno=True)
STOP_SECONDS = 2.5


def die_with_parent(sig: signal.Signals, parent_pid: int) -> None:
    """Ask the kernel for `sig` when the parent dies; exit if it is gone already (Linux only)."""
    if sys.platform == "linux":
        LIBC.prctl(PR_SET_PDEATHSIG, int(sig), 0, 0, 0)
    if os.getppid() != parent_pid:
        os.kill(os.getpid(), sig)


def die_with_parent_by(sig: signal.Signals) -> Callable[[], None]:
    """Return a `preexec_fn`; call it in the process that is to be the parent."""
    parent_pid = os.getpid()
    return lambda: die_with_parent(sig, parent_pid)


def start_child(
    command: Sequence[str | Path],
    *,
    log: Path | None,
    death_signal: signal.Signals = signal.SIGTERM,
    env: Mapping[str, str] | None = None,
    user: int | None = None,
    group: int | None = None,
) -> subprocess.Popen[bytes]:
    """Start a child in a session of its own (Ctrl-C reaches it only through us), output to `log`.

    Call from the main thread: the kernel ties the child to the thread that forked it.
    """
    output = log.open("ab") if log else None
    try:
        return subprocess.Popen(
            [str(part) for part in command],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT if output else None,
            env=dict(env) if env is not None else None,
            user=user,
            group=group,
            extra_groups=[] if user is not None else None,
            start_new_session=True,
            # Two system calls and no lock; Popen offers no other way to ask the kernel.
            preexec_fn=die_with_parent_by(death_signal),  # noqa: PLW1509
        )
    finally:
        if output:
            output.close()


def stop_children(
    children: Sequence[subprocess.Popen[bytes]],
    sig: signal.Signals = signal.SIGTERM,
    seconds: float = STOP_SECONDS,
) -> None:
    """Stop all children at once; one that has not ended in time is killed with its group."""
    for child in children:
        if child.poll() is None:
            child.send_signal(sig)
    deadline = time.monotonic() + seconds
    for child in children:
        with suppress(subprocess.TimeoutExpired):
            child.wait(timeout=max(0.0, deadline - time.monotonic()))
    for child in children:
        # The group may hold grandchildren even after the child itself is gone.
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()
