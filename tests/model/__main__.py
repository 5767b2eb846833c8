"""Explore the specification of pools and print how many states it has: `python -m tests.model`.

    python -m tests.model [small | large]

`small` is what `make test` explores, `large` what `make soak` does. A state in which money is
missing, nothing can happen, a repeated request acts, or a window stays open is printed with the
acts that lead to it.
"""

from __future__ import annotations

import sys
import time

from tests.model.explorer import explore
from tests.model.runs import MOST, RUNS


def main() -> int:
    for name, terms in RUNS[sys.argv[1] if len(sys.argv) > 1 else "small"].items():
        began = time.monotonic()
        found = explore(terms, most=MOST.get(name))
        ends = ", ".join(f"{count} {phase}" for phase, count in sorted(found.finals.items()))
        print(  # noqa: T201
            f"{name}: {len(found.numbers):,} states, {found.steps:,} acts, "
            f"{'all explored' if found.is_whole else 'of more'}; ends: {ends}; "
            f"{time.monotonic() - began:.0f} s",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
