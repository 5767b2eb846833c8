"""Waiting for what another process does."""

from __future__ import annotations

import time

PATIENCE_SECONDS = 90.0


def until(condition):
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.05)
