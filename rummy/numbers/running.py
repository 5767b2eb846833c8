"""Measures tables cell by cell; a run that was stopped continues with the next cell."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from rummy.numbers.files import FOLDER, read_manifest, write_cell
from rummy.numbers.table import Cell, Sample, Table
from rummy.numbers.tally import Estimate, Tally

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
    with ProcessPoolExecutor(workers) if workers > 1 else nullcontext() as pool:
        batches = map if pool is None else pool.map
        for table in tables:
            for cell in table.cells:
                if cells and cell.name not in cells:
                    continue
                how = _how(table, cell, hands, seed, version)
                if read_manifest(folder).get(table.name, {}).get(cell.name) == how:
                    progress(f"{table.name} {cell.name}: already measured")
                    continue
                lines = _measured(
                    table,
                    cell,
                    samples=how["samples"],
                    seed=seed,
                    batches=batches,
                    progress=progress,
                )
                write_cell(folder, table, cell.name, lines, how)
                progress(f"{table.name} {cell.name}: written")


def _how(table: Table, cell: Cell, hands: int, seed: int, version: str) -> dict[str, Any]:
    """Return what the manifest records about a cell."""
    command = f"python -m rummy numbers run --table {table.name} --cell '{cell.name}'"
    if cell.sample is None:
        return {"command": command, "samples": 0, "version": version}
    return {
        "command": f"{command} --hands {hands} --seed {seed}",
        "samples": table.samples(hands),
        "seed": seed,
        "unit": table.unit,
        "version": version,
    }


def _measured(
    table: Table,
    cell: Cell,
    *,
    samples: int,
    seed: int,
    batches: Callable[[Callable[[Job], Tally], Iterable[Job]], Iterable[Tally]],
    progress: Callable[[str], object],
) -> Iterator[Estimate]:
    if cell.sample is None:
        assert cell.exact is not None, "a cell is sampled or counted"
        for group, measure, value in cell.exact():
            yield Estimate(group, measure, 0, 0, *(float(value),) * 3)
        return
    starts = range(0, samples, table.batch)
    jobs = [
        (cell.sample, f"{seed} {table.name} {cell.name} {start}", min(table.batch, samples - start))
        for start in starts
    ]
    whole, tenth = Tally(), max(1, len(jobs) // 10)
    for number, tally in enumerate(batches(_batch, jobs), start=1):
        whole.merge(tally)
        if number % tenth == 0:
            progress(f"{table.name} {cell.name}: {100 * number // len(jobs)} %")
    yield from whole.estimates(table.columns)


def _batch(job: Job) -> Tally:
    sample, seed, count = job
    rng, tally = random.Random(seed), Tally()  # noqa: S311  # Samples are to be repeated.
    for _ in range(count):
        tally.add(sample(rng))
    return tally
