"""Processes forked from one that has imported the site: their ends, files and signals."""

import fcntl
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from devtools.children import Fork, stop_children


def fail():
    raise ValueError("of the function")


def wait_for_a_signal():
    sys.stdout.write("ready\n")
    time.sleep(60)


@pytest.mark.parametrize(
    ("run", "code", "written"),
    [
        pytest.param(lambda: sys.stdout.write("done\n"), 0, "done", id="returns"),
        pytest.param(lambda: sys.exit(3), 3, "", id="exit code"),
        pytest.param(lambda: sys.exit("refused"), 1, "refused", id="exit text"),
        pytest.param(fail, 1, "ValueError: of the function", id="error"),
        pytest.param(lambda: os.kill(os.getpid(), signal.SIGTERM), -15, "", id="signal"),
    ],
)
def test_a_fork_ends_with_its_own_code_and_writes_to_its_own_log(tmp_path, run, code, written):
    log = tmp_path / "fork.log"

    child = Fork("named", run, log=log)

    assert child.wait(timeout=20) == child.poll() == code
    assert (log.read_text().strip().splitlines() or [""])[-1] == written


def test_a_fork_keeps_neither_the_files_nor_the_handlers_of_its_parent(tmp_path):
    """Otherwise the lock of a demo that was killed would be kept, and Ctrl-C would be ignored."""
    log, path = tmp_path / "fork.log", tmp_path / "lock"
    before = signal.signal(signal.SIGTERM, lambda *_: None)
    try:
        with path.open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            child = Fork("named", wait_for_a_signal, log=log)
            while "ready" not in log.read_text():
                assert child.poll() is None
                time.sleep(0.01)
        with path.open() as again:
            fcntl.flock(again, fcntl.LOCK_EX | fcntl.LOCK_NB)
        assert Path(f"/proc/{child.pid}/comm").read_text().strip() == "named"
        assert os.getsid(child.pid) == child.pid
        with pytest.raises(subprocess.TimeoutExpired):
            child.wait(timeout=0.01)
    finally:
        signal.signal(signal.SIGTERM, before)
        stop_children([child])

    assert child.poll() == -signal.SIGTERM
