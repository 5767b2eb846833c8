"""The declaration of a table: its cells, its columns, and what one sample is."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, NamedTuple, TypeAlias

Kind = Literal["share", "mean", "distribution"]

Observation: TypeAlias = tuple[str, Mapping[str, int]]
"""A group, and the values of one of its members by column.

A column of kind `distribution` is given as `points=35`, with the value 1.
"""
Sample: TypeAlias = Callable[[random.Random], Iterable[Observation]]
"""Takes one independent sample; the random numbers come only from its argument."""
Rule: TypeAlias = frozenset[str]
"""The groups of hands that are dropped."""
Exact: TypeAlias = Callable[[], Iterable[tuple[str, str, Fraction]]]
"""Returns counted values as group, column and value."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column: `share` for yes or no (0 and 1), `mean` for an amount, or a `distribution`."""

    name: str
    kind: Kind
    meaning: str


class Estimate(NamedTuple):
    """A line of a table: a value with its 95 % interval.

    Both ends are the value if it is counted, and None if there are too few samples.
    """

    group: str
    measure: str
    samples: int
    """The independent samples with a member of the group; 0 if the value is counted."""
    members: int
    value: float
    low: float | None
    high: float | None


class Ruled(NamedTuple):
    """Samples that depend on a rule, and how the next rule follows from their estimates.

    Such a cell is measured until the rule no longer changes.
    """

    sample: Callable[[Rule, random.Random], Iterable[Observation]]
    following: Callable[[Iterable[Estimate], Rule], Rule]


@dataclass(frozen=True, slots=True)
class Cell:
    """A part of a table that is measured on its own; the functions must be picklable."""

    name: str
    sample: Sample | None = None
    exact: Exact | None = None
    ruled: Ruled | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table of numbers.

    >>> from rummy.numbers.catalogue import TABLES
    >>> [table.name for table in TABLES][:2]
    ['counted', 'dealt']
    """

    name: str
    about: str
    unit: str
    """One independent sample in plain words: `a dealt hand`."""
    cost: int = 1
    """The number of dealt hands that take about as long as one sample."""
    batch: int = 1000
    """The number of samples with one random generator; part of what a seed means."""
    columns: tuple[Column, ...]
    cells: tuple[Cell, ...]

    def samples(self, hands: int) -> int:
        """Return the number of samples of a cell in a run of `hands`.

        >>> Table(name="t", about="", unit="", cost=100, columns=(), cells=()).samples(5000)
        50
        """
        return max(1, hands // self.cost)
