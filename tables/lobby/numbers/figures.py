"""Measured numbers of the game as rows of plots and cells of tables.

The numbers are those of the files in `rummy/numbers`. What a file does not have is left out, so
that the page follows the files without a change of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from core.pages.charts import Chart
from rummy.numbers.catalogue import TABLES
from rummy.numbers.files import FOLDER, read_manifest, read_rows

PERCENT: Final = 100
"""The factor of a share."""
BASIS_POINTS: Final = 0.01
"""The factor of a share in hundredths of a percent."""
GUESSES: Final[Mapping[tuple[str, str, str, str], float]] = {
    ("dealt", "total-rummy", "all", "points"): 67.3,
    ("dealt", "total-rummy", "all", "pure"): 35.0,
    ("dealt", "total-rummy", "all", "both"): 20.5,
    ("dealt", "total-rummy", "all", "declarable"): 0.1,
    ("dealt", "total-rummy", "all", "points=80"): 56.0,
    ("dealt", "total-rummy", "0 jokers", "points"): 77.5,
    ("dealt", "total-rummy", "1 jokers", "points"): 67.0,
    ("dealt", "total-rummy", "2 jokers", "points"): 59.0,
    ("dealt", "total-rummy", "3 jokers", "points"): 53.0,
    ("dealt", "total-rummy", "4 jokers", "points"): 49.0,
    ("counted", "total-rummy", "all", "jokers"): 1.11,
    ("counted", "total-rummy", "all", "jokers=0"): 28.9,
    ("played-on", "2 seats", "seat 1", "won"): 52.5,
    ("played-on", "3 seats", "seat 1", "won"): 35.5,
    ("played-on", "4 seats", "seat 1", "won"): 27.0,
    ("played-on", "5 seats", "seat 1", "won"): 22.0,
    ("played-on", "6 seats", "seat 1", "won"): 18.5,
    ("played-on", "2 seats", "deal", "turns"): 15.0,
    ("played-on", "6 seats", "deal", "turns"): 9.5,
    ("pools", "total-rummy-pool-101, 2 seats", "pool", "deals"): 4.2,
    ("pools", "total-rummy-pool-101, 3 seats", "pool", "deals"): 5.8,
    ("pools", "total-rummy-pool-101, 4 seats", "pool", "deals"): 6.5,
    ("pools", "total-rummy-pool-101, 5 seats", "pool", "deals"): 6.6,
    ("pools", "total-rummy-pool-101, 6 seats", "pool", "deals"): 11.0,
    ("pools", "total-rummy-pool-61, 2 seats", "pool", "deals"): 4.2,
    ("pools", "total-rummy-pool-61, 3 seats", "pool", "deals"): 5.3,
    ("pools", "total-rummy-pool-61, 4 seats", "pool", "deals"): 4.1,
    ("pools", "total-rummy-pool-61, 5 seats", "pool", "deals"): 6.8,
    ("pools", "total-rummy-pool-61, 6 seats", "pool", "deals"): 7.3,
    ("pools", "total-rummy-pool-201, 2 seats", "pool", "deals"): 13.0,
    ("pools", "total-rummy-pool-201, 3 seats", "pool", "deals"): 16.0,
    ("pools", "total-rummy-pool-201, 4 seats", "pool", "deals"): 12.5,
    ("pools", "total-rummy-pool-201, 5 seats", "pool", "deals"): 19.5,
    ("pools", "total-rummy-pool-201, 6 seats", "pool", "deals"): 21.0,
    ("pools", "vengala-pool-101, 4 seats", "pool", "deals"): 4.7,
    ("points-tables", "2 seats", "loser", "points"): 30.0,
    ("points-tables", "6 seats", "loser", "points"): 27.0,
    ("points-tables", "2 seats", "loser", "dropped"): 33.0,
    ("points-tables", "6 seats", "loser", "dropped"): 53.0,
    ("straight", "2 seats", "deal", "turns"): 10.0,
    ("straight", "3 seats", "deal", "turns"): 8.0,
    ("straight", "4 seats", "deal", "turns"): 7.0,
    ("straight", "5 seats", "deal", "turns"): 5.0,
    ("straight", "6 seats", "deal", "turns"): 5.0,
    ("straight", "2 seats", "dealt", "meld"): 41.0,
    ("straight", "4 seats", "dealt", "meld"): 14.0,
    ("straight", "6 seats", "dealt", "meld"): 8.0,
    ("straight", "2 seats", "deal", "rummy"): 6.0,
    ("straight", "4 seats", "deal", "rummy"): 10.0,
    ("straight", "2 seats", "loser", "points"): 24.0,
    ("straight", "4 seats", "loser", "points"): 23.0,
}
"""Guesses made without knowing the measurement, by table, cell, group and measure."""


class Number(NamedTuple):
    """A value with its 95 % interval and samples; a counted one has no samples."""

    value: float
    low: float | None
    high: float | None
    samples: int

    def scaled(self, factor: float) -> Number:
        """Return the number in another unit."""
        low, high = (None if end is None else end * factor for end in (self.low, self.high))
        return Number(self.value * factor, low, high, self.samples)


@dataclass(frozen=True, slots=True)
class PlotRow:
    """A row of a plot: texts, and places in percent of its width."""

    label: str
    note: str
    text: str
    interval: str
    samples: str
    guess: str
    at: float
    low: float
    high: float
    guess_at: float | None
    line_at: float | None


@dataclass(frozen=True, slots=True)
class Plot:
    """Rows on one scale; `samples` if it is the same for all."""

    title: str
    rows: list[PlotRow]
    samples: str
    line: str
    # The ends of the scale.
    first: str
    last: str
    is_folded: bool


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a grid: text, smaller text below it, and a verdict's name for its colour."""

    text: str
    detail: str = ""
    kind: str = ""
    samples: str = ""


@dataclass(frozen=True, slots=True)
class Grid:
    title: str
    columns: list[str]
    rows: list[tuple[str, list[Cell]]]
    is_folded: bool = False


@dataclass(frozen=True, slots=True)
class Fact:
    name: str
    text: str
    detail: str


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page; `tables` are those whose commands it names."""

    name: str
    title: str
    text: list[str]
    tables: tuple[str, ...] = ()
    facts: tuple[Fact, ...] = ()
    bars: tuple[Chart, ...] = ()
    plots: tuple[Plot, ...] = ()
    grids: tuple[Grid, ...] = ()

    @property
    def commands(self) -> list[str]:
        """The commands that measure the section's tables again."""
        return [command for name in self.tables for command in commands(name)]


@cache
def measured(table: str) -> Mapping[tuple[str, str, str], Number]:
    """Return a table's numbers by cell, group and measure; {} for an unknown one."""
    found = next((one for one in TABLES if one.name == table), None)
    rows = read_rows(FOLDER, found) if found else []
    return {
        (cell, group, measure): Number(float(value), _maybe(low), _maybe(high), int(samples))
        for cell, group, measure, samples, _members, value, low, high in rows
    }


def number(table: str, cell: str, group: str, measure: str) -> Number | None:
    """Return one number, or None if it is not measured."""
    return measured(table).get((cell, group, measure))


@cache
def commands(table: str) -> list[str]:
    """Return the commands of a table's cells, without the cells' names and without repetitions."""
    cells = read_manifest(FOLDER).get(table, {}).values()
    return sorted({" ".join(how["command"].split(" --cell ")[:1]) + _rest(how) for how in cells})


def _rest(how: Mapping[str, str]) -> str:
    return "".join(
        f" {option} {how['command'].split(option)[1].split()[0]}"
        for option in ("--hands", "--seed")
        if option in how["command"]
    )


def _maybe(text: str) -> float | None:
    return float(text) if text else None


def shown(value: float, decimals: int) -> str:
    """Return a number in the active language, with a minus sign."""
    return number_format(round(value, decimals), decimals, force_grouping=True).replace("-", "−")


def interval_text(found: Number, decimals: int) -> str:
    """Return the 95 % interval, or how the number came about without one."""
    if not found.samples:
        return _("counted exactly")
    if found.low is None or found.high is None:
        return _("too few for an interval")
    ends = {"low": shown(found.low, decimals), "high": shown(found.high, decimals)}
    return _("%(low)s to %(high)s") % ends


def samples_text(samples: int, unit: str) -> str:
    """Return the number of samples: `2,000 deals`; "" for a counted number."""
    if not samples:
        return ""
    texts = {"hands": _("%(number)s hands"), "deals": _("%(number)s deals")}
    return texts.get(unit, _("%(number)s pools")) % {"number": shown(samples, 0)}


class Row(NamedTuple):
    """What a row of a plot is made from; the guess is in the unit of the plot."""

    label: str
    found: Number | None
    guess: float | None = None
    note: str = ""
    line: float | None = None


def plot(
    title: str,
    rows: Iterable[Row],
    *,
    unit: str,
    factor: float = 1,
    decimals: int = 1,
    line: tuple[float, str] | None = None,
    is_folded: bool = False,
) -> Plot:
    """Return a plot of the measured rows; `line` is a value that all are compared with."""
    known = [
        (row, row.found.scaled(factor))
        for row in rows
        if row.found is not None and row.found.low is not None
    ]
    places = [line[0]] if line else []
    for row, found in known:
        ends = (found.value, found.low, found.high, row.guess, row.line)
        places += [end for end in ends if end is not None]
    last = max(places, default=1.0)
    first = min(places, default=0.0)
    if first < last / 2:  # Numbers that are close together are drawn on a scale without 0.
        first = min(first, 0.0)
    width = (last - first) or 1.0

    def at(value: float) -> float:
        return round(1 + 98 * (value - first) / width, 2)

    counts = {found.samples for _row, found in known}
    same = counts.pop() if len(counts) == 1 else 0
    drawn = []
    for row, found in known:
        compared = line[0] if line else row.line
        drawn.append(
            PlotRow(
                label=row.label,
                note=row.note,
                text=shown(found.value, decimals),
                interval=interval_text(found, decimals),
                samples="" if same else samples_text(found.samples, unit),
                guess="" if row.guess is None else shown(row.guess, decimals),
                at=at(found.value),
                low=at(found.value if found.low is None else found.low),
                high=at(found.value if found.high is None else found.high),
                guess_at=None if row.guess is None else at(row.guess),
                line_at=None if compared is None else at(compared),
            )
        )
    return Plot(
        title=title,
        rows=drawn,
        samples=samples_text(same, unit),
        line=line[1] if line else "",
        first=shown(first, decimals),
        last=shown(last, decimals),
        is_folded=is_folded,
    )


def cell(found: Number | None, *, factor: float = 1, decimals: int = 1, kind: str = "") -> Cell:
    """Return a number as a cell with its interval; a dash if it is not measured."""
    if found is None:
        return Cell("–")
    scaled = found.scaled(factor)
    return Cell(shown(scaled.value, decimals), interval_text(scaled, decimals), kind)
