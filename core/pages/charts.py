"""Bar and line charts as SVG, drawn on the server from whole numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

WIDTH: Final = 320
HEIGHT: Final = 100
GAP: Final = 4
# Space above the bars for the largest number, and below them for labels.
HEAD: Final = 16
FOOT: Final = 18
# Width of one character of a label, with some space.
CHARACTER: Final = 7


@dataclass(frozen=True, slots=True)
class Value:
    """One bar of a chart: its label, its value and the value as text."""

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
    # The position of zero; negative values are drawn below it.
    zero: float

    width: int = WIDTH
    height: int = HEAD + HEIGHT + FOOT

    @property
    def every(self) -> int:
        """The interval of labelled bars, counted from the last, so that labels do not overlap.

        >>> bar_chart("Won", [Value("12.10.", 1, "")] * 12).every
        2
        """
        longest = max((len(bar.value.name) for bar in self.bars), default=0)
        return max(1, -(-len(self.bars) * longest * CHARACTER // WIDTH))

    @property
    def peak(self) -> Bar | None:
        """The bar with the largest number, which is labelled with it."""
        highest = max(self.bars, key=lambda bar: bar.value.number, default=None)
        return highest if highest is not None and highest.value.number > 0 else None

    @property
    def peak_anchor(self) -> str:
        """The text anchor that keeps that number within the drawing."""
        if self.peak is None or self.peak.middle < WIDTH / 3:
            return "start"
        return "end" if self.peak.middle > WIDTH * 2 / 3 else "middle"


def bar_chart(title: str, values: Sequence[Value]) -> Chart:
    """Return a chart scaled to its largest bar; negative numbers are drawn below the line.

    >>> chart = bar_chart("Rake", [Value("20", 50, ""), Value("21", 100, "")])
    >>> [(bar.y, bar.height) for bar in chart.bars], chart.zero
    ([(66.0, 50.0), (16.0, 100.0)], 116.0)
    """
    highest = max([0, *(value.number for value in values)])
    lowest = min([0, *(value.number for value in values)])
    scale = HEIGHT / ((highest - lowest) or 1)
    zero = HEAD + (highest * scale if highest or lowest else HEIGHT)
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


@dataclass(frozen=True, slots=True)
class LineChart:
    """A line through values with a band around it; coordinates as SVG `points`."""

    title: str
    line: str
    band: str
    # The height of each labelled value.
    ticks: list[tuple[float, int]]
    last: tuple[float, float]

    width: int = WIDTH
    height: int = HEAD + HEIGHT + HEAD


def line_chart(title: str, values: Sequence[tuple[int, int]]) -> LineChart:
    """Return a line through at least two values, each with the margin above and below it.

    >>> chart = line_chart("Rating", [(1500, 100), (1600, 50)])
    >>> chart.line, chart.last, chart.ticks
    ('0.0,82.67 320.0,49.33', (320.0, 49.33), [(16.0, 1700), (116.0, 1400)])
    """
    lowest = min(value - margin for value, margin in values) // 100 * 100
    highest = -(-max(value + margin for value, margin in values) // 100) * 100
    step, scale = WIDTH / (len(values) - 1), HEIGHT / ((highest - lowest) or 1)

    def point(at: int, value: int) -> tuple[float, float]:
        return round(at * step, 2), round(HEAD + (highest - value) * scale, 2)

    def points(found: Iterable[tuple[float, float]]) -> str:
        return " ".join(f"{x},{y}" for x, y in found)

    line = [point(at, value) for at, (value, _) in enumerate(values)]
    above = [point(at, value + margin) for at, (value, margin) in enumerate(values)]
    below = [point(at, value - margin) for at, (value, margin) in enumerate(values)]
    ticks = [(point(0, value)[1], value) for value in (highest, lowest)]
    return LineChart(title, points(line), points([*above, *below[::-1]]), ticks, line[-1])
