"""Bars the server draws: whole numbers in, rectangles of an SVG out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

WIDTH: Final = 420
HEIGHT: Final = 120
GAP: Final = 4
# Below the bars, for their names.
FOOT: Final = 18


@dataclass(frozen=True, slots=True)
class Value:
    """What one bar tells: its name below it, its number, and the number in words."""

    name: str
    number: int
    words: str


@dataclass(frozen=True, slots=True)
class Bar:
    """One rectangle, in the units of the drawing."""

    value: Value
    x: float
    y: float
    width: float
    height: float
    is_below: bool

    @property
    def middle(self) -> float:
        return self.x + self.width / 2


@dataclass(frozen=True, slots=True)
class Chart:
    title: str
    bars: list[Bar]
    # Where zero is: below it stands what was less than nothing.
    zero: float

    width: int = WIDTH
    height: int = HEIGHT
    full_height: int = HEIGHT + FOOT


def bar_chart(title: str, values: Sequence[Value]) -> Chart:
    """Return a chart whose largest bar fills it; numbers below zero hang under the line.

    >>> chart = bar_chart("Rake", [Value("20", 50, ""), Value("21", 100, "")])
    >>> [(bar.y, bar.height) for bar in chart.bars], chart.zero
    ([(60.0, 60.0), (0.0, 120.0)], 120.0)
    """
    highest = max([0, *(value.number for value in values)])
    lowest = min([0, *(value.number for value in values)])
    scale = HEIGHT / ((highest - lowest) or 1)
    zero = highest * scale if highest or lowest else float(HEIGHT)
    step = WIDTH / max(len(values), 1)
    bars = [
        Bar(
            value=value,
            x=round(at * step + GAP / 2, 2),
            y=round(zero - max(value.number, 0) * scale, 2),
            width=round(step - GAP, 2),
            height=round(abs(value.number) * scale, 2),
            is_below=value.number < 0,
        )
        for at, value in enumerate(values)
    ]
    return Chart(title, bars, round(zero, 2))
