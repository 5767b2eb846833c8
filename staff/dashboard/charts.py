"""Charts of the dashboard: data for the admin theme's Chart.js, and lines drawn on the server."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

# Custom properties of `admin.css`.
NOW, BEFORE = "var(--chart-now)", "var(--chart-before)"
TICKS: Final = {"color": "#7f7b8d"}
# The size of a sparkline's drawing.
WIDTH, HEIGHT = 120, 28


@dataclass(frozen=True, slots=True)
class Series:
    """One set of numbers, with their texts for the table below the chart."""

    name: str
    numbers: Sequence[float]
    texts: Sequence[str]
    colour: str = NOW


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart with axes; `kind` is "bar" or "line", `unit` labels the vertical axis."""

    title: str
    names: Sequence[str]
    series: Sequence[Series]
    kind: str = "bar"
    unit: str = ""

    @property
    def data(self) -> str:
        """Return the data as Chart.js reads them, in JSON."""
        sets = [
            {
                "label": one.name,
                "data": list(one.numbers),
                "backgroundColor": one.colour,
                "borderColor": one.colour,
                "borderRadius": 3,
                "pointRadius": 2,
                "maxBarThickness": 28,
            }
            for one in self.series
        ]
        return json.dumps({"labels": list(self.names), "datasets": sets})

    @property
    def options(self) -> str:
        """Return the options: a value axis from 0, and the values at the pointer, in JSON."""
        several = len(self.series) > 1
        labels = {**TICKS, "boxWidth": 12}
        unit = {"display": bool(self.unit), "text": self.unit, **TICKS}
        options: dict[str, Any] = {
            "responsive": True,
            "maintainAspectRatio": False,
            "animation": False,
            "interaction": {"mode": "index", "intersect": False},
            "plugins": {"legend": {"display": several, "align": "end", "labels": labels}},
            "scales": {
                "x": {"grid": {"display": False}, "ticks": {**TICKS, "maxRotation": 0}},
                "y": {
                    "beginAtZero": True,
                    "grid": {},
                    "title": unit,
                    "ticks": {**TICKS, "maxTicksLimit": 5, "precision": 0},
                },
            },
        }
        return json.dumps(options)

    @property
    def rows(self) -> list[tuple[str, list[str]]]:
        """Return the texts of each name, for the table."""
        return [
            (name, [one.texts[at] for one in self.series]) for at, name in enumerate(self.names)
        ]


@dataclass(frozen=True, slots=True)
class Headline:
    """A figure of the last seven days compared with the seven days before."""

    label: str
    number: str
    # "+12 %", or empty without anything to compare with.
    change: str = ""
    url: str = ""
    # The numbers of all these days, the oldest first.
    days: Sequence[float] = field(default_factory=tuple)

    @property
    def points(self) -> str:
        """Return the points of the sparkline.

        >>> Headline("Players", "3", days=(0, 1, 2)).points
        '2,26 60,14 118,2'
        """
        if len(self.days) < 2:
            return ""
        most, step = max(self.days) or 1, (WIDTH - 4) / (len(self.days) - 1)
        high = HEIGHT - 4
        return " ".join(
            f"{2 + at * step:g},{HEIGHT - 2 - high * number / most:g}"
            for at, number in enumerate(self.days)
        )


def change_of(number: float, before: float) -> str:
    """Return the change against a number before as a percentage; empty if that was 0.

    >>> change_of(112, 100), change_of(50, 100), change_of(3, 0)
    ('+12 %', '-50 %', '')
    """
    return f"{(number - before) / before * 100:+.0f} %" if before else ""
