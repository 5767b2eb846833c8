"""A pytest plugin: each process of a parallel run saves what coverage has measured at its end.

A worker of xdist was seen to end before coverage saved by itself: its file stayed empty.
"""

from __future__ import annotations

import coverage
import pytest


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish() -> None:
    measured = coverage.Coverage.current()
    if measured is not None:
        measured.save()
