"""Rows of the comparison, their figures, and the records of an interrupted run."""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from bench.against.side import Side

SIDES: Final = ("then", "now")


@dataclass(frozen=True)
class Figure:
    """One figure of a row: its name, its unit, and whether higher is better."""

    title: str
    unit: str
    more_is_better: bool = False
    is_reference: bool = False
    """Whether it measures the machine and not the tree: its ratio shows the run's noise."""


@dataclass(frozen=True)
class Row:
    """A measurement made on both checkouts in alternation; `measure` returns figures by key."""

    name: str
    figures: Mapping[str, Figure]
    measure: Callable[[Side], Mapping[str, float]]
    turns: int = 5


@dataclass(frozen=True)
class Record:
    """The result of one run of a row on one side."""

    row: str
    turn: int
    side: str
    identity: str
    seconds: float
    figures: Mapping[str, float] = field(default_factory=dict)


class Records:
    """A file of JSON lines: each turn is appended as it ends, and read by the next run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.all: list[Record] = []
        if path.exists():
            self.all = [Record(**json.loads(line)) for line in _whole_lines(path)]

    def add(self, record: Record) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a") as lines:
            lines.write(json.dumps(asdict(record)) + "\n")
        self.all.append(record)

    def of(self, row: str, identities: Mapping[str, str], seconds: float) -> list[Record]:
        """Return the records of a row that were made of these very trees, as long each."""
        return [
            record
            for record in self.all
            if record.row == row
            and record.seconds == seconds
            and identities.get(record.side) == record.identity
        ]


def _whole_lines(path: Path) -> list[str]:
    """Return the lines of a file; a last one without its end was cut short by an interruption."""
    lines = path.read_text().splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n"):
        path.write_text("".join(lines[:-1]))
        lines.pop()
    return lines


def order(turn: int) -> tuple[str, str]:
    """Return which side comes first: A B, B A, A B, so that neither has the warmer machine.

    >>> [order(turn)[0] for turn in range(4)]
    ['then', 'now', 'then', 'now']
    """
    return ("then", "now") if turn % 2 == 0 else ("now", "then")


def table(rows: Iterable[Row], found: Callable[[str], Sequence[Record]]) -> str:
    """Return the comparison as a table in Markdown: medians, ratio, spread of the ratios."""
    lines = [
        "| figure | then | now | now / then | ratios by turn | better | turns |",
        "|---|---:|---:|---:|---|---|---:|",
    ]
    for row in rows:
        for key, figure in row.figures.items():
            line = _line(key, figure, found(row.name))
            if line is not None:
                lines.append(line)
    return "\n".join(lines)


def _line(key: str, figure: Figure, records: Sequence[Record]) -> str | None:
    by_turn = {
        side: {record.turn: record.figures[key] for record in records
               if record.side == side and key in record.figures}
        for side in SIDES
    }  # fmt: skip
    both = sorted(by_turn["then"].keys() & by_turn["now"].keys())
    if not both:
        return None
    then, now = (statistics.median(by_turn[side][turn] for turn in both) for side in SIDES)
    ratios = [ratio_of(by_turn["now"][turn], by_turn["then"][turn]) for turn in both]
    better = "reference" if figure.is_reference else "more" if figure.more_is_better else "less"
    cells = (
        figure.title,
        f"{shown(then)} {figure.unit}".rstrip(),
        f"{shown(now)} {figure.unit}".rstrip(),
        f"{ratio_of(now, then):.2f}",
        f"{min(ratios):.2f} to {max(ratios):.2f}",
        better,
        str(len(both)),
    )
    return f"| {' | '.join(cells)} |"


def ratio_of(now: float, then: float) -> float:
    """Return a ratio; of two zeros 1.0.

    >>> ratio_of(3.0, 2.0), ratio_of(0.0, 0.0)
    (1.5, 1.0)
    """
    if then == 0:
        return 1.0 if now == 0 else float("inf")
    return now / then


def shown(value: float) -> str:
    """Return a number with three digits that matter.

    >>> shown(1234.5), shown(12.345), shown(0.01234)
    ('1,234', '12.3', '0.0123')
    """
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"
