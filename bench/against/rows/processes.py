"""Start-up times, whole simulated games, and memory at rest."""

from __future__ import annotations

import os
import subprocess
import time
from typing import Final

from bench.against import children
from bench.against.figures import Figure, Row
from bench.against.side import Side
from bench.against.site import Site, last_json, manage
from bench.against.trees import CannotCompare

# Until caches of the first page are made and start-up work is done.
REST_SECONDS: Final = 20.0
SIMULATION: Final = (
    *("--variant", "points", "--tables", "4", "--players", "3", "--deals", "4"),
    *("--seed", "against", "--timeout", "300", "--json"),
)


def _check(side: Side) -> dict[str, float]:
    """Start `manage.py check` and wait for it; its processor time is that of this very child."""
    side.warm_up()
    began = time.monotonic()
    child = subprocess.Popen(
        [str(side.tree.python), "manage.py", "check"],
        cwd=side.tree.path,
        env=side.tree.environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise CannotCompare(f"manage.py check failed on {side.tree.side}: run it there.")
    return {"check": time.monotonic() - began, "check.processor": used.ru_utime + used.ru_stime}


def _simulate(side: Side) -> dict[str, float]:
    """Let bots play through services and workers, on throw-away servers of the command's own."""
    side.warm_up()
    report = last_json(manage(side.tree, "simulate", *SIMULATION))
    if not report["ok"]:
        raise CannotCompare(f"The simulation failed on {side.tree.side}: {report}")
    return {"simulate": report["moves"] / report["seconds"]}


def _first_page(side: Side) -> dict[str, float]:
    """Start a demo on an empty data directory, and end it."""
    side.warm_up()
    site = Site(side.tree)
    used = sum(children.processor_seconds(site.demo.pid).values())
    site.close()
    return {"first-page": site.seconds_to_first_page, "first-page.processor": used}


def _memory(side: Side) -> dict[str, float]:
    demo = side.site.demo
    time.sleep(REST_SECONDS if side.seconds >= 5.0 else side.seconds)
    return {"memory": children.memory_mb(demo.pid)}


ROWS: Final = (
    Row(
        "check",
        {
            "check": Figure("`manage.py check`", "s"),
            "check.processor": Figure("`manage.py check`, processor", "s"),
        },
        _check,
    ),
    Row("simulate", {"simulate": Figure("simulated games", "moves/s", True)}, _simulate, turns=2),
    Row(
        "first-page",
        {
            "first-page": Figure("demo, first page", "s"),
            "first-page.processor": Figure("demo, first page, processor", "s"),
        },
        _first_page,
        turns=2,
    ),
    Row("memory", {"memory": Figure("demo at rest (PSS)", "MB")}, _memory, turns=2),
)
