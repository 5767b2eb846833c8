"""Measures tables cell by cell; a run that was stopped continues with the next cell."""

from __future__ import annotations

import multiprocessing
import os
import random
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from fractions import Fraction
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Any, Final, NamedTuple

from rummy.numbers.files import FOLDER, read_manifest, write_cell
from rummy.numbers.table import Cell, Estimate, Rule, Ruled, Sample, Table
from rummy.numbers.tally import Tally, natural

ROUNDS: Final = 8
SMALL_ROUNDS: Final = 2
"""A rule is measured at most so often; the first times with a quarter of the samples."""

Job = tuple[Sample, str, int]
"""The function of a batch, the seed of its generator, and its number of samples."""


def run(
    tables: Iterable[Table],
    *,
    hands: int,
    workers: int,
    seed: int,
    version: str,
    folder: Path = FOLDER,
    cells: Collection[str] = (),
    progress: Callable[[str], object] = lambda _: None,
) -> None:
    """Measure the cells that the manifest does not have with this seed, size and version.

    `cells` are the names of those to measure, by default all.

    The files depend on `hands`, `seed` and `version` only, not on the number of `workers`.

    >>> import tempfile
    >>> from rummy.numbers.catalogue import TABLES
    >>> with tempfile.TemporaryDirectory() as name:
    ...     run(TABLES[:1], hands=10, workers=1, seed=1, version="1.0.0", folder=Path(name))
    ...     sorted(path.name for path in Path(name).iterdir())
    ['counted.csv', 'manifest.json']
    """
    several = ProcessPoolExecutor(workers, initializer=_end_with_parent)
    with several if workers > 1 else nullcontext() as pool:
        batches = map if pool is None else pool.map
        for table in tables:
            for cell in table.cells:
                if cells and cell.name not in cells:
                    continue
                how = _how(table, cell, hands, seed, version)
                if read_manifest(folder).get(table.name, {}).get(cell.name) == how:
                    progress(f"{table.name} {cell.name}: already measured")
                    continue
                measure = _Measure(table, cell, seed, batches, progress)
                lines = measure.estimates(how["samples"])
                write_cell(folder, table, cell.name, lines, how)
                progress(f"{table.name} {cell.name}: written")


def _end_with_parent() -> None:
    """End this worker when the process that started it has been killed."""
    parent = multiprocessing.parent_process()
    assert parent is not None, "a worker has a parent"

    def end() -> None:
        parent.join()
        os._exit(1)

    Thread(target=end, daemon=True).start()


def _how(table: Table, cell: Cell, hands: int, seed: int, version: str) -> dict[str, Any]:
    """Return what the manifest records about a cell."""
    command = f"python -m rummy numbers run --table {table.name} --cell '{cell.name}'"
    if cell.exact is not None:
        return {"command": command, "samples": 0, "version": version}
    return {
        "command": f"{command} --hands {hands} --seed {seed}",
        "samples": table.samples(hands),
        "seed": seed,
        "unit": table.unit,
        "version": version,
    }


class _Measure(NamedTuple):
    """Takes samples of a cell in batches, whose seeds depend on the cell's name."""

    table: Table
    cell: Cell
    seed: int
    batches: Callable[[Callable[[Job], Tally], Iterable[Job]], Iterable[Tally]]
    progress: Callable[[str], object]

    def estimates(self, samples: int) -> Iterable[Estimate]:
        if self.cell.exact is not None:
            return (_counted(*line) for line in self.cell.exact())
        if self.cell.ruled is not None:
            return self._settled(self.cell.ruled, samples)
        assert self.cell.sample is not None, "a cell is sampled or counted"
        return self._sampled(self.cell.sample, samples)

    def _settled(self, ruled: Ruled, samples: int) -> Iterator[Estimate]:
        """Yield the estimates of the rule that no longer changes, and the rule."""
        rule, then, number, is_whole = Rule(), Rule(), 0, False
        lines: list[Estimate] = []
        while number < ROUNDS and not (is_whole and then == rule):
            is_whole = number >= SMALL_ROUNDS or bool(number and then == rule)
            rule, number = then, number + 1
            size = samples if is_whole else max(1, samples // 4)
            lines = self._sampled(partial(ruled.sample, rule), size)
            then = ruled.following(lines, rule)
            self.progress(f"{self.cell.name}: {len(then ^ rule)} changed in round {number}")
        yield from lines
        for group in sorted(rule, key=natural):
            yield _counted(group, "drops", 1)
        yield _counted("rule", "rounds", number)
        yield _counted("rule", "changed", len(then ^ rule))

    def _sampled(self, sample: Sample, samples: int) -> list[Estimate]:
        table, name = self.table, f"{self.table.name} {self.cell.name}"
        starts = range(0, samples, table.batch)
        jobs = [
            (sample, f"{self.seed} {name} {start}", min(table.batch, samples - start))
            for start in starts
        ]
        whole, tenth = Tally(), max(1, len(jobs) // 10)
        for number, tally in enumerate(self.batches(_batch, jobs), start=1):
            whole.merge(tally)
            if number % tenth == 0:
                self.progress(f"{name}: {100 * number // len(jobs)} %")
        return list(whole.estimates(table.columns))


def _counted(group: str, measure: str, value: Fraction | int) -> Estimate:
    return Estimate(group, measure, 0, 0, *(float(value),) * 3)


def _batch(job: Job) -> Tally:
    sample, seed, count = job
    rng, tally = random.Random(seed), Tally()  # noqa: S311  # Samples are to be repeated.
    # Many samples of dealt hands are equal: each kind is added once.
    kinds = Counter(
        tuple((group, tuple(values.items())) for group, values in sample(rng)) for _ in range(count)
    )
    for kind, times in kinds.items():
        tally.add(((group, dict(values)) for group, values in kind), times)
    return tally
