"""A move and a view without HTTP."""

from __future__ import annotations

import time
from collections.abc import Callable

from bench.tables.site import furnish, say
from tables.view.table_view import table_view


def service(seconds: float) -> None:
    (game,) = furnish(1, 2)

    def view() -> None:
        table_view(game.table, game.seats[0].player)

    for name, work in (("move", game.step), ("view", view)):
        rate, own = timed(work, min(seconds, 4.0))
        say(f"service: {name:<5} {rate:7.0f} /s, {own:.2f} ms of Python each")


def timed(work: Callable[[], None], seconds: float) -> tuple[float, float]:
    """Return how often a second, and the processor time of this process each time."""
    done, began, own = 0, time.perf_counter(), time.process_time()
    while (passed := time.perf_counter() - began) < seconds and done < 250:
        work()
        done += 1
    return done / passed, 1000 * (time.process_time() - own) / done
