"""The rules library, by its public API, in a process of each tree's own."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from typing import Final

from bench.against.figures import Figure, Row
from bench.against.side import Side
from bench.against.site import last_json
from bench.against.trees import CannotCompare

# How much each case does, so that it takes a second or so.
AMOUNTS: Final = {
    "random-hands": ("random hands arranged", "hands/s", 20_000),
    "late-hands": ("late hands arranged", "hands/s", 10_000),
    "random-scores": ("random hands scored", "hands/s", 20_000),
    "late-scores": ("late hands scored", "hands/s", 10_000),
    "declarations": ("declarations checked", "/s", 30_000),
    "deals": ("random deals of thirteen cards", "deals/s", 800),
    "straight-deals": ("random deals of straight rummy", "deals/s", 200),
    "replays": ("deals replayed from history files", "deals/s", 800),
    "learning": ("256 steps of learning agents", "/s", 300),
}
REFERENCE: Final = """
from time import process_time
began = process_time()
total = 0
for number in range(6_000_000):
    total += number * number % 7
print(6_000_000 / (process_time() - began))
"""


def _case(name: str, amount: int) -> Callable[[Side], dict[str, float]]:
    def measure(side: Side) -> dict[str, float]:
        scaled = max(1, round(amount * min(side.seconds, 5.0) / 5.0))
        printed = _python(side, str(side.rules_script), name, str(scaled))
        report = last_json(printed)
        side.digests[name] = report["digest"]
        return {name: report["done"] / report["seconds"]}

    return measure


def _reference(side: Side) -> dict[str, float]:
    return {"python": float(_python(side, "-c", REFERENCE)) / 1e6}


def _python(side: Side, *arguments: str) -> str:
    done = subprocess.run(
        [str(side.tree.python), *arguments],
        cwd=side.tree.path,
        env=side.tree.environment(),
        check=False,
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        raise CannotCompare(f"Python failed on {side.tree.side}: {done.stderr.strip()[-1000:]}")
    return done.stdout


ROWS: Final = (
    Row(
        "python",
        {"python": Figure("a loop of Python", "million/s", True, is_reference=True)},
        _reference,
    ),
    *(
        Row(name, {name: Figure(title, unit, True)}, _case(name, amount))
        for name, (title, unit, amount) in AMOUNTS.items()
    ),
)
