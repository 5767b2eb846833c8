"""Count the planted faults that the tests catch: `python -m tests.planted`.

    python -m tests.planted record [test | test-all]
    python -m tests.planted [--copies N] [--only NAME ...] [--narrow] [--again] [--results FILE]

`record` runs `make test` and `make test-all` once under coverage and keeps which test runs which
lines (build/planted). Each fault is first planted in a fork of one process, where the tests of
`make test` that run its statement are run; the first failure ends it. A fault that survives is
planted in a copy of the checkout, for all tests that run its statement. Whole suites run only for
faults that survive that, and not with `--narrow`. Without a record the tests that import the
fault's module and those of its package take their place. Results are appended to a file; a later
run continues with the faults that have none, with `--again` also with those that were not caught.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from threading import Event, Lock
from typing import Any

from tests.planted.faults import Fault, load
from tests.planted.forks import try_in_forks
from tests.planted.records import BUILD, SUITES, record
from tests.planted.running import Copy, Result, examine, migrated_cluster, result_of


def main() -> int:
    if sys.argv[1:2] == ["record"]:
        return _record(sys.argv[2:])
    options = _options()
    faults = [one for one in load() if not options.only or one.name in options.only]
    done = {row["name"]: row for row in _rows(options.results)}
    if options.again:
        done = {name: row for name, row in done.items() if row["caught_by"]}
    open_faults = [one for one in faults if one.name not in done]
    begun = time.monotonic()
    if open_faults:
        _examine_all(open_faults, options)
    _print_summary(faults, options.results, time.monotonic() - begun)
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.planted")
    parser.add_argument("--copies", type=int, default=2, help="how many faults at a time")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="these faults alone")
    parser.add_argument("--narrow", action="store_true", help="run no whole suite and no browser")
    parser.add_argument("--again", action="store_true", help="repeat faults that were not caught")
    parser.add_argument("--results", type=Path, default=BUILD / "results.jsonl")
    return parser.parse_args()


def _record(targets: list[str]) -> int:
    statuses = [record(suite) for suite in SUITES if not targets or suite.target in targets]
    return max(statuses, default=2)


def _examine_all(faults: list[Fault], options: argparse.Namespace) -> None:
    options.results.parent.mkdir(parents=True, exist_ok=True)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    migrated, writing, is_stopped = migrated_cluster(), Lock(), Event()

    def keep(result: Result) -> None:
        with writing:
            _print_result(result)
            with options.results.open("a") as file:
                file.write(json.dumps(result.as_row()) + "\n")

    caught = set()
    for fault, test, seconds in try_in_forks(faults, migrated=migrated):
        keep(result_of(fault, SUITES[0].name, test, "forks", seconds))
        caught.add(fault.name)
    faults = [fault for fault in faults if fault.name not in caught]
    if not faults:
        return
    copies: SimpleQueue[Copy] = SimpleQueue()
    made = [Copy() for _ in range(min(options.copies, len(faults)))]
    for copy in made:
        copies.put(copy)

    def work(fault: Fault) -> None:
        copy = copies.get()
        try:
            result = examine(fault, copy, migrated=migrated, is_narrow=options.narrow)
        finally:
            copies.put(copy)
        if not is_stopped.is_set():
            keep(result)

    with ThreadPoolExecutor(len(made)) as workers:
        try:
            for _ in workers.map(work, faults):
                pass
        finally:
            is_stopped.set()
            workers.shutdown(wait=False, cancel_futures=True)
            for copy in made:
                copy.stop()
    for copy in made:
        copy.remove()


def _rows(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def _print_result(result: Result) -> None:
    said = f"{result.caught_by}: {result.test}" if result.caught_by else "SURVIVED"
    named = f"{result.app}/{result.name} [{result.kind}]"
    print(f"{result.seconds:7.1f} s  {named}  {said}", flush=True)  # noqa: T201


def _print_summary(faults: list[Fault], file: Path, seconds: float) -> None:
    last = {row["name"]: row for row in _rows(file)}
    known = [last[one.name] for one in faults if one.name in last]
    caught = [row for row in known if row["caught_by"]]
    quick = sum(row["caught_by"] == SUITES[0].name for row in caught)
    survivors = [f"{row['app']}/{row['name']}" for row in known if not row["caught_by"]]
    print(f"caught {len(caught)} of {len(faults)}, {quick} of them by make test, {seconds:.0f} s")  # noqa: T201
    if survivors:
        print(f"survived: {', '.join(survivors)}")  # noqa: T201
    if len(known) < len(faults):
        print(f"not examined: {len(faults) - len(known)}")  # noqa: T201


if __name__ == "__main__":
    raise SystemExit(main())
