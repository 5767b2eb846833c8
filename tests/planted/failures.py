"""A pytest plugin: quick tests run first, and those that fail are appended to a file.

The file is named by `PLANTED_FAILURES`; a line is the suite, a tab and the test's id as on a
command line, without xdist's group.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

import pytest

FILE: Final = "PLANTED_FAILURES"
QUICK, EXTENDED = "make test", "make test-all"
_GROUP: Final = re.compile(r"@(?:[\w/.-]+\.py|site \d)$")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what `make test` runs: a fault that it catches is counted for it."""
    items.sort(key=_is_extended)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> object:
    report = yield
    report.user_properties.append(("suite", EXTENDED if _is_extended(item) else QUICK))
    return report


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.failed and "PYTEST_XDIST_WORKER" not in os.environ:
        _note(str(dict(report.user_properties).get("suite", QUICK)), report.nodeid)


def pytest_collectreport(report: pytest.CollectReport) -> None:
    if report.failed and "PYTEST_XDIST_WORKER" not in os.environ:
        _note(QUICK, report.nodeid)


def _is_extended(item: pytest.Item) -> bool:
    return item.get_closest_marker("extended") is not None


def _note(suite: str, test: str) -> None:
    with Path(os.environ[FILE]).open("a") as file:
        file.write(f"{suite}\t{_GROUP.sub('', test)}\n")
