"""Compare this checkout with an earlier revision: `python -m bench.against REV`.

    python -m bench.against 328337df [--rows moves,posting] [--turns 5] [--seconds 5] [--keep DIR]
    python -m bench.against 328337df bots [--deals 400] [--pools 40]

REV is checked out into a git worktree, and each checkout gets an environment from its lock file and
its own servers. Both are measured in alternation (A B, B A, ...) by what both provide: HTTP,
sockets, `manage.py`, the finance reports, SQL functions by name and `rummy`'s public API.
No module of either tree is imported; names that differ are in `bench.against.adapter`.

With `bots` the strong bots of both play each other, each in a process of its own; every shuffle is
played twice with the sides swapped. They need no servers and no environment.

Each turn is appended to a file of JSON lines, and an interrupted run is continued.
Results belong to the commit and to the changes of the checkout: after a change both are measured
again. The ratio is that of the medians; the rows marked `reference` measure the machine, and their
ratios show how far the others can be trusted. Linux only.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

from bench.against import trees
from bench.against.bots import duel
from bench.against.client import Refused
from bench.against.figures import Record, Records, Row, order, table
from bench.against.rows import BY_NAME, ROWS
from bench.against.side import Side
from bench.against.site import say

BUILD = trees.HERE / "build" / "against"


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parse(arguments)
    # The servers are ended in `finally` blocks, which a signal's default action would skip.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    rows = [BY_NAME[name] for name in options.rows]
    try:
        commit = trees.commit_of(options.revision)
        results = options.results or BUILD / f"{commit[:12]}.jsonl"
        folder, keep = _folder(options.keep)
        try:
            if options.match:
                with trees.checked_out(commit, folder, keep=keep, python=sys.executable) as then:
                    now = trees.this_tree(folder, python=sys.executable)
                    duel([then, now], deals=options.deals, pools=options.pools)
                return 0
            with trees.checked_out(commit, folder, keep=keep) as then:
                now = trees.this_tree(folder)
                say(f"then: {then.identity}\nnow:  {now.identity}\nresults: {results}")
                print(compare(rows, [then, now], Records(results), options))
        finally:
            if not keep:
                shutil.rmtree(folder, ignore_errors=True)
    except (trees.CannotCompare, Refused) as error:
        say(str(error))
        return 1
    return 0


def compare(
    rows: Sequence[Row],
    both: Sequence[trees.Tree],
    records: Records,
    options: argparse.Namespace,
) -> str:
    """Measure the missing rows, alternating between the sides; return the table of all rows."""
    identities = {tree.side: tree.identity for tree in both}

    def found(name: str) -> Sequence[Record]:
        return records.of(name, identities, options.seconds)

    with ExitStack() as closes:
        sides = {
            tree.side: closes.enter_context(closing(Side(tree, options.seconds))) for tree in both
        }
        for row in rows:
            turns = options.turns or row.turns
            for turn in range(turns):
                measured = {(record.turn, record.side) for record in found(row.name)}
                for name in order(turn):
                    if (turn, name) in measured:
                        continue
                    figures = row.measure(sides[name])
                    records.add(
                        Record(row.name, turn, name, identities[name], options.seconds, figures)
                    )
                    say(f"{row.name} {turn + 1}/{turns} {name}: {_short(figures)}")
            _warn_of_different_work(row, sides)
    load = os.getloadavg()[0]
    machine = f"{os.cpu_count()} processors, load average {load:.1f} at the end"
    return f"{table(rows, found)}\n\n{machine}; ratios of medians of alternating runs."


def _warn_of_different_work(row: Row, sides: dict[str, Side]) -> None:
    digests = {side.digests.get(row.name) for side in sides.values()}
    if len(digests) > 1 and None not in digests:
        say(f"{row.name}: both trees computed different results from the same input")


def _short(figures: Any) -> str:
    return ", ".join(f"{name} {value:.4g}" for name, value in figures.items()) or "nothing"


def _folder(keep: Path | None) -> tuple[Path, bool]:
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        return keep.resolve(), True
    folder = Path(tempfile.mkdtemp(prefix="against-trees-"))
    folder.chmod(0o755)  # PostgreSQL's user reads its programs here.
    return folder, False


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench.against",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("revision", help="a commit, tag or branch of this repository")
    parser.add_argument(
        "match", nargs="?", choices=["bots"], help="let the strong bots of both play each other"
    )
    parser.add_argument("--deals", type=_positive, default=400, help="of each match of bots")
    parser.add_argument("--pools", type=_positive, default=40, help="of each match of bots")
    parser.add_argument(
        "--rows",
        type=_names,
        default=[row.name for row in ROWS],
        metavar="NAME,...",
        help=f"default: all of {', '.join(BY_NAME)}",
    )
    parser.add_argument(
        "--turns", type=_positive, help="of each row; by default 5, long rows 1 to 2"
    )
    parser.add_argument("--seconds", type=float, default=5.0, help="that a turn of a rate lasts")
    parser.add_argument("--keep", type=Path, help="a folder for checkout and environments to keep")
    parser.add_argument("--results", type=Path, help="the file of JSON lines")
    return parser.parse_args(arguments)


def _names(text: str) -> list[str]:
    names = text.split(",")
    if unknown := [name for name in names if name not in BY_NAME]:
        raise argparse.ArgumentTypeError(
            f"no row named {', '.join(unknown)}; there are {', '.join(BY_NAME)}"
        )
    return [name for name in BY_NAME if name in names]


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("at least one turn")
    return number


if __name__ == "__main__":
    sys.exit(main())
