"""Plants faults in forks of one process that has imported the product and collected its tests.

Importing and collecting take longer than most tests, and need not be done for each fault. A fork
replaces the code of the fault's function and runs tests until one fails. It shares the database
with the next fork: only tests of `make test`, which roll back, are run. A fault whose function is
not found in memory, or that survives, is left to a copy of the checkout.

`try_in_forks` starts pytest with this module as a plugin.
"""

from __future__ import annotations

import gc
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from types import CodeType, FunctionType
from typing import Any, Final

import pytest
from asgiref.sync import SyncToAsync
from django.db import connections

from tests.planted.faults import CHECKOUT, Fault, Place, load, place_of
from tests.planted.records import SUITES, known_tests

# Names a file with the tests of each fault; results are appended to it.
FILE: Final = "PLANTED_FORKS"
SELECTED: Final = f"{SUITES[0].selected} and not browser and not process"
FAULT_SECONDS: Final = 300


def try_in_forks(faults: Sequence[Fault], *, migrated: str) -> Iterator[tuple[Fault, str, float]]:
    """Yield the faults that a test has caught, with the test's id and the seconds."""
    by_name = {fault.name: fault for fault in faults if not fault.is_sql}
    tests = {name: known_tests(fault, place_of(fault)).tests for name, fault in by_name.items()}
    paths = dict.fromkeys(test.split("::")[0] for known in tests.values() for test in known)
    if not paths:
        return
    with TemporaryDirectory() as folder:
        file = Path(folder) / "faults"
        file.write_text(json.dumps(tests) + "\n")
        command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.planted.forks"]
        command += ["-p", "no:cacheprovider", "-m", SELECTED, "--timeout", "300", *paths]
        environment = os.environ | {FILE: str(file), "RUMMY_EPHEMERAL": "1"}
        environment["RUMMY_TEST_CLUSTER"] = migrated
        with (Path(folder) / "log").open("wb") as log, file.open() as rows:
            rows.readline()
            process = subprocess.Popen(
                command,
                cwd=CHECKOUT,
                env=environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
            try:
                while True:
                    is_over = process.poll() is not None
                    for row in map(json.loads, iter(rows.readline, "")):
                        if row["test"]:
                            yield by_name[row["name"]], row["test"], row["seconds"]
                    if is_over:
                        return
                    time.sleep(1)
            finally:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGTERM)


class Failures:
    """The first test that failed in this process."""

    def __init__(self) -> None:
        self.first = ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and not self.first:
            self.first = report.nodeid


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool:
    file = Path(os.environ[FILE])
    tests = json.loads(file.read_text())
    items = [item for item in session.items if isinstance(item, pytest.Item)]
    # A first test makes the database, which all forks use.
    of_database = [item for item in items if item.get_closest_marker("django_db")]
    for first, second in [*pairwise(of_database)][:1]:
        first.config.hook.pytest_runtest_protocol(item=first, nextitem=second)
    for fault in load():
        if fault.name in tests:
            begun = time.monotonic()
            test = _caught_by(fault, tests[fault.name], items)
            row = {"name": fault.name, "test": test, "seconds": time.monotonic() - begun}
            with file.open("a") as results:
                results.write(json.dumps(row) + "\n")
    return True


def _caught_by(fault: Fault, tests: Sequence[str], items: Sequence[pytest.Item]) -> str:
    """Return the first test that fails with the fault and not without it."""
    place = place_of(fault)
    parts = [(test, (f"{test}/", f"{test}::", f"{test}[")) for test in tests]
    chosen = {
        item.nodeid: item
        for test, begin in parts
        for item in items
        if item.nodeid == test or item.nodeid.startswith(begin)
    }
    while chosen:
        test = _forked([*chosen.values()], fault, place)
        if not test or not _forked([chosen[test]]):
            return test
        chosen.pop(test)  # It fails without the fault, too.
    return ""


def _forked(
    items: Sequence[pytest.Item], fault: Fault | None = None, place: Place | None = None
) -> str:
    """Run tests in a fork, with a fault, until one fails; return its id."""
    connections.close_all()
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.write(writing, _run(items, fault, place).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as answer:
        if not select.select([answer], [], [], FAULT_SECONDS)[0]:
            os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return answer.read().decode()


def _run(items: Sequence[pytest.Item], fault: Fault | None, place: Place | None) -> str:
    # Threads are not forked.
    SyncToAsync.single_thread_executor = ThreadPoolExecutor(max_workers=1)
    if fault is not None and place is not None:
        # Some modules are only imported where they are used.
        import_module(".".join(place.path.relative_to(CHECKOUT).with_suffix("").parts))
        if not replace_in_memory(fault, place):
            return ""
    failures = Failures()
    items[0].config.pluginmanager.register(failures)
    items[0].session._setupstate.teardown_exact(items[0])
    for item, following in zip(items, [*items[1:], items[-1]], strict=True):
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if failures.first:
            break
    return failures.first


def replace_in_memory(fault: Fault, place: Place) -> int:
    """Give the functions around the place their code with the fault; return how many there are."""
    text = place.path.read_text()
    planted = text[: place.start] + fault.new + text[place.end :]
    before, after = (
        _codes(compile(each, place.path, "exec", dont_inherit=True)) for each in (text, planted)
    )
    changed = {key: code for key, code in after.items() if code != before.get(key)}
    gc.unfreeze()  # Else the collected modules are left out.
    found = 0
    for each in gc.get_objects():
        if type(each) is FunctionType and each.__code__.co_filename == str(place.path):
            key = each.__code__.co_qualname, each.__code__.co_firstlineno
            if key in changed:
                each.__code__ = changed[key]
                found += 1
    gc.freeze()
    return found


def _codes(module: CodeType) -> dict[Any, CodeType]:
    """Return the code of all functions of a module, by name and first line."""
    inner = [code for code in module.co_consts if isinstance(code, CodeType)]
    found = {(code.co_qualname, code.co_firstlineno): code for code in inner}
    return found | {key: code for each in inner for key, code in _codes(each).items()}
