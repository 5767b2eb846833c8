"""Child processes that end with this one, even after kill -9."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NoReturn, Protocol

PR_SET_PDEATHSIG = 1
PR_SET_NAME = 15
# Loaded before any fork, so that the child only makes the call.
LIBC = ctypes.CDLL(None, use_errno=True)
STOP_SECONDS = 2.5
# The pause between two looks at a forked child that is waited for.
LOOK_SECONDS = 0.01


class Child(Protocol):
    """A child process: the part of `subprocess.Popen` that both kinds of children have."""

    @property
    def pid(self) -> int: ...
    def poll(self) -> int | None: ...
    def wait(self, timeout: float | None = None) -> int: ...
    def send_signal(self, sig: int) -> None: ...


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


class Fork:
    """A child that runs a function of this process and shares the memory of its imports.

    It has a session, signal handlers and output of its own, as those of `start_child`, and no files
    of this process. Fork only while this process has a single thread.
    """

    def __init__(self, name: str, run: Callable[[], object], *, log: Path) -> None:
        self.returncode: int | None = None
        parent_pid = os.getpid()
        with log.open("ab") as output:
            # A signal waits until the child has handlers of its own.
            before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
            try:
                self.pid = os.fork()
                if self.pid == 0:
                    _become(name, output.fileno(), parent_pid)
                    signal.pthread_sigmask(signal.SIG_SETMASK, before)
                    _run(run)
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def poll(self) -> int | None:
        """Return the exit code, None while the child runs."""
        if self.returncode is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end and return the exit code; raise `TimeoutExpired` after `timeout`."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while (code := self.poll()) is None:
            if deadline is not None and time.monotonic() >= deadline:
                raise subprocess.TimeoutExpired(str(self.pid), timeout or 0.0)
            time.sleep(LOOK_SECONDS)
        return code

    def send_signal(self, sig: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, sig)


def _become(name: str, output: int, parent_pid: int) -> None:
    """Leave what a forked process has of its parent: session, handlers, files, output, name."""
    os.setsid()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    die_with_parent(signal.SIGTERM, parent_pid)
    if sys.platform == "linux":
        LIBC.prctl(PR_SET_NAME, name.encode(), 0, 0, 0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for target, source in ((0, nothing), (1, output), (2, output)):
        os.dup2(source, target)
    # The parent's lock among them; its objects stay referenced until `_exit`.
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    sys.stdout = sys.stderr = os.fdopen(2, "w", buffering=1, closefd=False)


def _run(run: Callable[[], object]) -> NoReturn:
    """Run a forked child's function and exit, without what the parent's stack does at its end."""
    code = 1
    try:
        run()
        code = 0
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
        if isinstance(ended.code, str):
            sys.stderr.write(f"{ended.code}\n")
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def stop_children(
    children: Sequence[Child],
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
