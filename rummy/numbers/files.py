"""The CSV file of each table, and the manifest that says how each cell was measured."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from rummy.numbers.table import Estimate, Table

FOLDER: Final = Path(__file__).parent
"""The folder of the published files."""
MANIFEST: Final = "manifest.json"
HEADER: Final = ("cell", "group", "measure", "samples", "members", "value", "low", "high")

Rows = list[list[str]]
Manifest = dict[str, dict[str, Any]]
"""How each cell was measured, by table and cell."""


def read_rows(folder: Path, table: Table) -> Rows:
    """Return the rows of a table's file without the header; [] if there is none.

    >>> from rummy.numbers.catalogue import TABLES
    >>> read_rows(Path("/nowhere"), TABLES[0])
    []
    """
    try:
        text = (folder / f"{table.name}.csv").read_text(encoding="utf-8")
    except FileNotFoundError:
        return []
    return list(csv.reader(io.StringIO(text)))[1:]


def read_manifest(folder: Path) -> Manifest:
    """Return the manifest of a folder; {} if there is none.

    >>> read_manifest(Path("/nowhere"))
    {}
    """
    try:
        found: Manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    return found


def write_cell(
    folder: Path, table: Table, cell: str, lines: Iterable[Estimate], how: Mapping[str, Any]
) -> None:
    """Write a cell's lines, then record the cell in the manifest; both files change at once.

    A cell that is interrupted before the manifest is written is measured again.

    >>> import tempfile
    >>> from rummy.numbers.catalogue import TABLES
    >>> line = Estimate("all", "pure", 10, 10, 0.4, 0.1, 0.7)
    >>> with tempfile.TemporaryDirectory() as name:
    ...     write_cell(Path(name), TABLES[1], TABLES[1].cells[0].name, [line], {"seed": 1})
    ...     read_rows(Path(name), TABLES[1])
    [['total-rummy', 'all', 'pure', '10', '10', '0.400000', '0.100000', '0.700000']]
    """
    order = {one.name: place for place, one in enumerate(table.cells)}
    # Measuring the lines may take hours, in which another run can write cells to the folder.
    added = [[cell, *_texts(line)] for line in lines]
    rows = [row for row in read_rows(folder, table) if row[0] in order and row[0] != cell]
    rows += added
    rows.sort(key=lambda row: order[row[0]])
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(HEADER)
    writer.writerows(rows)
    folder.mkdir(parents=True, exist_ok=True)
    _replace(folder / f"{table.name}.csv", text.getvalue())
    manifest = read_manifest(folder)
    manifest.setdefault(table.name, {})[cell] = dict(how)
    _replace(folder / MANIFEST, json.dumps(manifest, indent=1, sort_keys=True) + "\n")


def _texts(line: Estimate) -> list[str]:
    ends = (line.value, line.low, line.high)
    numbers = ["" if number is None else f"{number:.6f}" for number in ends]
    return [line.group, line.measure, str(line.samples), str(line.members), *numbers]


def _replace(path: Path, text: str) -> None:
    beside = path.with_suffix(".part")
    beside.write_text(text, encoding="utf-8")
    beside.replace(path)
