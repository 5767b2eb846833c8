"""Child processes that end with this one, even after kill -9."""

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
# Loaded before any fork, so that the child only makes the call.
LIBC = ctypes.CDLL(None, use_errno=True)
STOP_SECONDS = 2.5


def die_with_parent(sig: signal.Signals, parent_pid: int) -> None:
    """Receive `sig` from the kernel when the parent ends; exit if it has ended (Linux only)."""
    if sys.platform == "linux":
        LIBC.prctl(PR_SET_PDEATHSIG, int(sig), 0, 0, 0)
    if os.getppid() != parent_pid:
        os.kill(os.getpid(), sig)


def die_with_parent_by(sig: signal.Signals) -> Callable[[], None]:
    """Return a `preexec_fn` for children of the calling process."""
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
    """Start a child in a separate session, without Ctrl-C, with its output in `log`.

    Call from the main thread: the kernel ends the child with the thread that forked it.
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
            # Two system calls without locks; Popen has no other hook for them.
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
    """Stop all children at once; kill a child and its group if it does not end in time."""
    for child in children:
        if child.poll() is None:
            child.send_signal(sig)
    deadline = time.monotonic() + seconds
    for child in children:
        with suppress(subprocess.TimeoutExpired):
            child.wait(timeout=max(0.0, deadline - time.monotonic()))
    for child in children:
        # The group may contain grandchildren after the child has ended.
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()
