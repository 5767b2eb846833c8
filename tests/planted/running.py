"""Plants one fault at a time in copies of the checkout, and runs tests until one fails."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import count
from pathlib import Path
from typing import Final

from tests.planted import failures
from tests.planted.faults import CHECKOUT, Fault, place_of, plant
from tests.planted.records import SUITES, changed_tests, known_tests

# If root runs the tests, PostgreSQL runs as another user, who must be able to enter.
TEMP: Final = Path("/var/tmp")  # noqa: S108
SHARED: Final = (".venv", ".tools")
# pytest's exit status where no test was selected.
NONE_RAN: Final = 5
# Quick tests are run first, by the plugin `failures`.
BOTH: Final = ("-q", "-m", "not soak", "--timeout", "600")
STAGE_SECONDS: Final = 3600
# So many tests and more are run by two processes.
MANY: Final = 150
_moments = count(int(time.time()) + 10, 10)


@dataclass(frozen=True, slots=True)
class Result:
    app: str
    name: str
    kind: str
    # `make test`, `make test-all` or nothing.
    caught_by: str
    test: str
    # How far it came: the known tests, or whole suites.
    stage: str
    seconds: float

    def as_row(self) -> dict[str, object]:
        return asdict(self)


class Copy:
    """A copy of the checkout's present files, with an environment linked to the checkout's."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[bytes] | None = None
        self.root = Path(tempfile.mkdtemp(prefix="planted-", dir=TEMP))
        self.root.chmod(0o755)
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=CHECKOUT,
            check=True,
            capture_output=True,
            text=True,
        )
        for name in filter(None, listed.stdout.split("\0")):
            if (CHECKOUT / name).is_file():
                (self.root / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(CHECKOUT / name, self.root / name, follow_symlinks=False)
        for name in SHARED:
            (self.root / name).symlink_to((CHECKOUT / name).resolve())

    def remove(self) -> None:
        named = self.root / ".rummy" / "data-directory"
        if named.exists():
            shutil.rmtree(named.read_text().strip(), ignore_errors=True)
        shutil.rmtree(self.root, ignore_errors=True)

    @contextmanager
    def planted(self, fault: Fault) -> Iterator[None]:
        before = plant(fault, self.root)
        try:
            self._make_newer(before)
            yield
        finally:
            for path, text in before.items():
                path.write_text(text)
            self._make_newer(before)

    @staticmethod
    def _make_newer(paths: Sequence[Path] | dict[Path, str]) -> None:
        """Let Python compile changed modules again; it only compares whole seconds and sizes."""
        for path in paths:
            moment = next(_moments)
            os.utime(path, (moment, moment))

    def run(self, arguments: Sequence[str], *, migrated: str) -> tuple[str, str] | None:
        """Run pytest until a test fails; return its suite and its id, None where none does."""
        noted = self.root / "failed-tests"
        noted.write_text("")
        listed = self.root / "listed-tests"
        listed.write_text("\n".join(arguments))
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith("COVERAGE")
        }
        environment |= {failures.FILE: str(noted), "RUMMY_EPHEMERAL": "1"}
        if migrated:
            environment["RUMMY_TEST_CLUSTER"] = migrated
        command = [".venv/bin/python", "-m", "pytest", "-x", "-p", "tests.planted.failures"]
        command += ["-p", "no:cacheprovider", f"@{listed}"]
        log = self.root / "run.log"
        with log.open("ab") as output:
            process = subprocess.Popen(
                command,
                cwd=self.root,
                env=environment,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
            self.process = process
            try:
                status = process.wait(STAGE_SECONDS)
            except subprocess.TimeoutExpired:
                self.stop()
                return failures.QUICK, f"no end within {STAGE_SECONDS} s"
        if status in (0, NONE_RAN):
            return None
        failed = noted.read_text().splitlines()
        if not failed:
            return failures.QUICK, f"pytest ended with status {status}"
        suite, _, test = failed[0].partition("\t")
        return suite, test

    def stop(self) -> None:
        """Kill the tests that run, with all that they have started."""
        if self.process is not None and self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


def migrated_cluster() -> str:
    """Return a migrated PostgreSQL cluster of the checkout; faults of Python share it."""
    program = "from tests.cluster import make_migrated; print(make_migrated())"
    made = subprocess.run(
        [sys.executable, "-c", program], cwd=CHECKOUT, check=True, stdout=subprocess.PIPE, text=True
    )
    return made.stdout.splitlines()[-1]


def examine(fault: Fault, copy: Copy, *, migrated: str, is_narrow: bool) -> Result:
    """Plant a fault and run tests until one fails, by the stages of `_stages`."""
    begun, stage = time.monotonic(), "no test"
    with copy.planted(fault):
        for stage, arguments in _stages(fault, is_narrow=is_narrow):
            failed = copy.run(arguments, migrated="" if fault.is_sql else migrated)
            if failed is not None:
                return result_of(fault, *failed, stage, time.monotonic() - begun)
    return result_of(fault, "", "", stage, time.monotonic() - begun)


def _stages(fault: Fault, *, is_narrow: bool) -> Iterator[tuple[str, list[str]]]:
    """Yield what to run: changed tests, those that run the statement, then whole suites."""
    place = place_of(fault)
    changed = changed_tests()
    known = known_tests(fault, place)
    if changed:
        yield "changed tests", [*BOTH, *changed]
    if known.tests:
        parallel = ["-n", "2", "--dist", "loadgroup"] if len(known.tests) > MANY else []
        yield "its tests", [*BOTH, *parallel, *known.tests]
    if is_narrow:
        return
    if known.of_site:
        yield "its tests of the site", [*BOTH, *known.of_site]
    for suite in SUITES:
        spared = [f"--deselect={test}" for test in sorted(suite.broken())]
        yield suite.name, [*suite.whole(), *spared]


def result_of(fault: Fault, caught_by: str, test: str, stage: str, seconds: float) -> Result:
    return Result(fault.app, fault.name, fault.kind, caught_by, test, stage, round(seconds, 1))
