"""A pytest plugin: the lines that run are recorded by coverage with the test that runs them.

Loaded by `python -m tests.planted record` (`-p tests.planted.recording`), in every process of a
parallel run. A process that a test starts is recorded under that test, too, by the environment
that it inherits.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Final

import coverage
import pytest

# Read by the configuration that `record` writes: the context of a process started by a test.
STARTED_BY: Final = "PLANTED_STARTED_BY"
# The demo serves many tests: its processes have this context, and its tests end in this mark.
SITE: Final = "site"
SITE_MARK: Final = "@site"


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Record what follows, set-up and teardown included, under the id of this test."""
    measured = coverage.Coverage.current()
    assert measured is not None, "no coverage: COVERAGE_PROCESS_START is not set"
    opens_site = "site" in getattr(item, "fixturenames", ())
    test = _id_without_group(item)
    os.environ[STARTED_BY] = SITE if opens_site else test
    measured.switch_context(test + SITE_MARK if opens_site else test)
    return (yield)


def _id_without_group(item: pytest.Item) -> str:
    """Return the id as on a command line, without the group that xdist appends."""
    group = item.get_closest_marker("xdist_group")
    return item.nodeid.removesuffix(f"@{group.args[0]}") if group else item.nodeid
