"""The command `numbers`: measure the tables of `rummy.numbers`, and print them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from rummy import __version__
from rummy.numbers.catalogue import TABLES
from rummy.numbers.files import FOLDER, read_manifest, read_rows
from rummy.numbers.running import run
from rummy.numbers.table import Table

HANDS: Final = 200_000
_NAMES: Final = [table.name for table in TABLES]


def add(commands: Any) -> None:
    """Add the command to the parser.

    >>> parser = argparse.ArgumentParser()
    >>> add(parser.add_subparsers())
    >>> parser.parse_args(["numbers", "run", "--hands", "10"]).hands
    10
    """
    about = "measure and print chances of hands, deals and pools"
    numbers = commands.add_parser("numbers", help=about, description=about)
    acts = numbers.add_subparsers(dest="act", required=True)
    measure = acts.add_parser("run", help="measure the cells that are not measured yet")
    measure.add_argument(
        "--hands",
        type=_count,
        default=HANDS,
        help=f"the size of each cell in dealt hands, default {HANDS}; "
        "a cell of whole deals or pools takes as many as are about as long",
    )
    measure.add_argument("--workers", type=_count, default=1, help="processes, default 1")
    measure.add_argument("--seed", type=int, default=1, help="the seed, default 1")
    measure.add_argument(
        "--cell",
        action="append",
        choices=[cell.name for table in TABLES for cell in table.cells],
        default=[],
        metavar="NAME",
        help="only cells of this name; may be repeated",
    )
    show = acts.add_parser("show", help="print the measured tables")
    show.add_argument("--all", action="store_true", help="print distributions too")
    for command in (measure, show):
        command.add_argument(
            "--table", action="append", choices=_NAMES, help="only this table; may be repeated"
        )
        command.add_argument(
            "--folder", type=Path, default=FOLDER, help="the folder of the CSV files"
        )


def main(options: argparse.Namespace) -> int:
    """Run the command and return its exit code.

    >>> options = argparse.Namespace(act="show", table=["dealt"], folder=Path("/"), all=False)
    >>> main(options)
    dealt: A dealt hand of 13 cards: all hands, by the wild rank, and by the number of jokers.
      not measured: total-rummy, rummycentral, vengala-2-decks, vengala-3-decks
    0
    """
    tables = [table for table in TABLES if not options.table or table.name in options.table]
    if options.act == "show":
        for table in tables:
            for line in _shown(table, options.folder, with_distributions=options.all):
                sys.stdout.write(f"{line}\n")
        return 0
    run(
        tables,
        hands=options.hands,
        workers=options.workers,
        seed=options.seed,
        version=__version__,
        folder=options.folder,
        cells=options.cell,
        progress=lambda text: sys.stderr.write(f"{text}\n"),
    )
    return 0


def _shown(table: Table, folder: Path, *, with_distributions: bool) -> Iterator[str]:
    """Yield the lines of a table, each cell with the way it was measured."""
    manifest = read_manifest(folder).get(table.name, {})
    rows = read_rows(folder, table)
    yield f"{table.name}: {table.about}"
    for cell in (cell.name for cell in table.cells if cell.name in manifest):
        how = manifest[cell]
        samples = f"{how['samples']} samples ({how['unit']})" if how["samples"] else "counted"
        yield f"  {cell}: {samples}; {how['command']}"
        for name, group, measure, *_, value, low, high in rows:
            if name == cell and (with_distributions or "=" not in measure):
                has_interval = how["samples"] and low
                interval = f"  {float(low):.4f} to {float(high):.4f}" if has_interval else ""
                yield f"    {group:28} {measure:12} {float(value):10.4f}{interval}"
    if missing := [cell.name for cell in table.cells if cell.name not in manifest]:
        yield f"  not measured: {', '.join(missing)}"


def _count(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number above 0")
    return int(text)
