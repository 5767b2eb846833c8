"""Branch coverage of `make test` and `make test-all` by app: `make coverage`.

    python -m tests.coverage_by_app [--suites test test-all] [--read FILE ...] [pytest's arguments]

All processes that tests start are measured, with their threads. The data is kept in build/coverage,
one file for each suite and one for both. `--read` prints the figures of such files, without a run.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import coverage

from tests.planted.faults import CHECKOUT
from tests.planted.records import SUITES, Suite, combine

BUILD: Final = CHECKOUT / "build" / "coverage"
BOTH: Final = "both"


def main() -> int:
    options, arguments = _options()
    if options.read:
        _print({file.stem: by_app(file) for file in options.read})
        return 0
    shutil.rmtree(BUILD, ignore_errors=True)
    suites = [suite for suite in SUITES if suite.target in options.suites]
    statuses = [_run(suite, arguments) for suite in suites]
    measured = {suite.name: _file(suite.target) for suite in suites}
    if len(suites) > 1:
        combine(measured.values(), _file(BOTH))
        measured[BOTH] = _file(BOTH)
    _print({name: by_app(file) for name, file in measured.items()})
    return max(statuses)


def by_app(file: Path) -> dict[str, Counter[str]]:
    """Return the sums of a data file by the folder of the checkout, and those of all."""
    measured = coverage.Coverage(data_file=str(file), config_file=str(CHECKOUT / "pyproject.toml"))
    measured.load()
    with tempfile.NamedTemporaryFile(suffix=".json") as report:
        measured.json_report(outfile=report.name, ignore_errors=True)
        files = json.loads(Path(report.name).read_text())["files"]
    sums: dict[str, Counter[str]] = {}
    for name, of_file in files.items():
        path = Path(name)
        inside = path.relative_to(CHECKOUT) if path.is_absolute() else path
        numbers = {key: n for key, n in of_file["summary"].items() if isinstance(n, int)}
        for app in (inside.parts[0], "all"):
            sums.setdefault(app, Counter()).update(numbers)
    return sums


def _options() -> tuple[argparse.Namespace, list[str]]:
    parser = argparse.ArgumentParser(prog="python -m tests.coverage_by_app")
    targets = [suite.target for suite in SUITES]
    parser.add_argument("--suites", nargs="+", choices=targets, default=targets)
    parser.add_argument("--read", nargs="+", type=Path, default=[], metavar="FILE")
    return parser.parse_known_args()


def _run(suite: Suite, arguments: Sequence[str]) -> int:
    parts = BUILD / f"{suite.target}.parts"
    parts.mkdir(parents=True)
    measuring = [sys.executable, "-m", "coverage", "run", f"--data-file={parts / 'data'}"]
    pytest = ["-m", "pytest", "-p", "tests.planted.saving"]
    command = [*measuring, *pytest, *suite.whole(), *arguments]
    status = subprocess.run(command, cwd=CHECKOUT, check=False).returncode
    combine(parts.iterdir(), _file(suite.target))
    return status


def _file(name: str) -> Path:
    return BUILD / f"{name}.coverage"


def _print(figures: dict[str, dict[str, Counter[str]]]) -> None:
    apps = sorted({app for of in figures.values() for app in of} - {"all"})
    print("".join(["app".ljust(14), *(name.rjust(28) for name in figures)]))  # noqa: T201
    print("".join([" " * 14, *("lines    branches".rjust(28) for _ in figures)]))  # noqa: T201
    for app in [*apps, "all"]:
        cells = (_cell(of.get(app, Counter())) for of in figures.values())
        print("".join([app.ljust(14), *(cell.rjust(28) for cell in cells)]))  # noqa: T201


def _cell(of: Counter[str]) -> str:
    lines = _percent(of["covered_lines"], of["num_statements"])
    return f"{lines}    {_percent(of['covered_branches'], of['num_branches'])}"


def _percent(covered: int, of: int) -> str:
    return f"{100 * covered / of:6.2f} %" if of else "      - "


if __name__ == "__main__":
    raise SystemExit(main())
