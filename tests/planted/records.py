"""Which tests run which lines: recorded once with coverage, read for each planted fault.

A record belongs to the tree it was made of. A file that has changed since has no known lines; a
test module that has changed is run for every fault, first.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from coverage import CoverageData

from tests.planted import failures
from tests.planted.faults import CHECKOUT, Fault, Place
from tests.planted.recording import SITE, SITE_MARK, STARTED_BY

BUILD: Final = CHECKOUT / "build" / "planted"


@dataclass(frozen=True, slots=True)
class Suite:
    """What one of the make targets runs."""

    target: str
    selected: str
    processes: int
    timeout: int

    @property
    def name(self) -> str:
        return f"make {self.target}"

    def whole(self) -> list[str]:
        """Return pytest's arguments for all of it."""
        parallel = ["-n", str(self.processes), "--dist", "loadgroup", "--no-loadscope-reorder"]
        return [*self.selection(), *parallel]

    def selection(self) -> list[str]:
        return ["-q", "-m", self.selected, "--timeout", str(self.timeout)]

    @property
    def record(self) -> Path:
        return BUILD / f"{self.target}.coverage"

    @property
    def failed(self) -> Path:
        """The tests that failed without any fault."""
        return BUILD / f"{self.target}.failed"

    def broken(self) -> set[str]:
        lines = self.failed.read_text().splitlines() if self.failed.exists() else []
        return {line.split("\t")[1] for line in lines}


# Recording makes tests slower, and so does a busy machine: their time is longer than the targets'.
SUITES: Final = (
    Suite("test", "not soak and not extended", 3, 300),
    Suite("test-all", "extended and not soak", 4, 600),
)


@dataclass(frozen=True, slots=True)
class Known:
    """The tests of a suite that run a fault's statement, the nearest to its module first."""

    tests: list[str]
    # Tests that open the site, whose processes run it: they wait for a browser.
    of_site: list[str]


def record(suite: Suite, arguments: Iterable[str] = ()) -> int:
    """Run a suite and keep which test runs which lines; return pytest's exit status."""
    parts = BUILD / f"{suite.target}.parts"
    shutil.rmtree(parts, ignore_errors=True)
    parts.mkdir(parents=True)
    suite.failed.write_text("")
    environment = os.environ | {
        "COVERAGE_PROCESS_START": str(_configuration(parts)),
        failures.FILE: str(suite.failed),
    }
    names = ("recording", "saving", "failures")
    plugins = [part for name in names for part in ("-p", f"tests.planted.{name}")]
    _write_hashes()
    command = [sys.executable, "-m", "pytest", *plugins, *suite.whole(), *arguments]
    status = subprocess.run(command, cwd=CHECKOUT, env=environment, check=False).returncode
    combine(parts.iterdir(), suite.record)
    shutil.rmtree(parts)
    return status


def combine(parts: Iterable[Path], into: Path) -> None:
    """Combine coverage's files, which stay, into one."""
    command = [sys.executable, "-m", "coverage", "combine", "--quiet", "--keep"]
    command += [f"--data-file={into}", *map(str, parts)]
    subprocess.run(command, cwd=CHECKOUT, check=True)


def known_tests(fault: Fault, place: Place) -> Known:
    """Return the tests of both suites that run the fault's statement."""
    found = [_known_tests(suite, fault, place) for suite in SUITES]
    tests = dict.fromkeys(test for known in found for test in known.tests)
    return Known([*tests], [test for known in found for test in known.of_site])


def _known_tests(suite: Suite, fault: Fault, place: Place) -> Known:
    """Return the tests that run the fault's statement; without a record, see `_by_imports`."""
    module = place.path.relative_to(CHECKOUT)
    if fault.is_sql or not suite.record.exists():
        return Known(_by_imports(module), [])
    data = CoverageData(str(suite.record))
    data.read()
    found = _contexts(data, module, place)
    if SITE in found:
        found |= {test for test in data.measured_contexts() if test.endswith(SITE_MARK)}
    found -= {"", SITE}
    broken = suite.broken()
    own = {test for test in found if not test.endswith(SITE_MARK)} - broken
    of_site = {test.removesuffix(SITE_MARK) for test in found if test.endswith(SITE_MARK)} - broken

    def nearest(test: str) -> tuple[int, str]:
        return -_common(module, test), test

    return Known(sorted(own, key=nearest), sorted(of_site, key=nearest))


def changed_tests() -> list[str]:
    """Return the test modules that the record does not know as they are now."""
    recorded = _recorded_hashes()
    modules = (CHECKOUT / "tests").rglob("test_*.py")
    found = ((path.relative_to(CHECKOUT).as_posix(), path) for path in sorted(modules))
    return [name for name, path in found if recorded.get(name) != _hash(path)] if recorded else []


def _by_imports(module: Path) -> list[str]:
    """Return the test modules that import a module, then the tests of its package.

    The folders of tests, and of doctests, lie as the packages do.
    """
    parent, name = ".".join(module.parts[:-1]), module.stem
    imported = re.compile(rf"\b{parent}(\.| import (\([^)]*|[^(\n]*))\b{name}\b")
    files = [path for path, text in _test_modules().items() if imported.search(text)]
    files.sort(key=lambda path: (f"test_{name}.py" not in path, -_common(module, path)))
    package = Path(*module.parts[:2])
    folders = [Path("tests") / package, package] if module.parts[0] == "rummy" else []
    folders = folders or [Path("tests") / package]
    found = [folder.as_posix() for folder in folders if (CHECKOUT / folder).is_dir()]
    return [*files, *(found or [f"tests/{module.parts[0]}"])]


@cache
def _test_modules() -> dict[str, str]:
    paths = sorted((CHECKOUT / "tests").rglob("test_*.py"))
    return {path.relative_to(CHECKOUT).as_posix(): path.read_text() for path in paths}


def _contexts(data: CoverageData, module: Path, place: Place) -> set[str]:
    if _recorded_hashes().get(module.as_posix()) != _hash(place.path):
        return set()
    files = [name for name in data.measured_files() if name.endswith(f"/{module.as_posix()}")]
    found: set[str] = set()
    for name in files:
        by_line: Mapping[int, list[str]] = data.contexts_by_lineno(name)
        found.update(*(by_line.get(line, ()) for line in place.lines))
    return found


def _common(module: Path, test: str) -> int:
    """Return how many folders the path of a test shares with a module's."""
    theirs = test.split("::", maxsplit=1)[0].split("/")
    theirs = theirs[1:] if theirs[0] == "tests" else theirs
    pairs = zip(module.parts[:-1], theirs[:-1], strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(2, len(theirs) - 1))


def _configuration(parts: Path) -> Path:
    """Write coverage's configuration with the context of processes that tests start."""
    known = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["tool"]["coverage"]["run"]
    lines = ["[run]", f"data_file = {parts / 'data'}", f"context = ${{{STARTED_BY}-}}"]
    # Processes are measured by COVERAGE_PROCESS_START: what `subprocess` hands on has no context.
    changed = {"patch": [one for one in known["patch"] if one != "subprocess"]}
    changed["source"] = [str(CHECKOUT / name) for name in known["source"]]
    for name, value in (known | changed).items():
        text = "\n    ".join(["", *value]) if isinstance(value, list) else str(value).lower()
        lines.append(f"{name} = {text}")
    file = BUILD / "record.ini"
    file.write_text("\n".join(lines) + "\n")
    return file


def _sources() -> Iterator[Path]:
    for folder in ("rummy", "players", "wallet", "tables", "tournaments", "finance", "tests"):
        yield from (CHECKOUT / folder).rglob("*.py")


def _write_hashes() -> None:
    hashes = {path.relative_to(CHECKOUT).as_posix(): _hash(path) for path in _sources()}
    (BUILD / "tree.json").write_text(json.dumps(hashes))


def _recorded_hashes() -> dict[str, str]:
    file = BUILD / "tree.json"
    return json.loads(file.read_text()) if file.exists() else {}


def _hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]
