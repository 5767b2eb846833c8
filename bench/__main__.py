"""Run every benchmark of this folder, one after the other: `python -m bench [name ...]`.

`bench.against` is left out: it needs the revision to compare with.
"""

from __future__ import annotations

import pkgutil
import subprocess
import sys

import bench

NOT_BY_DEFAULT = {"__main__", "against"}


def main(names: list[str]) -> int:
    """Run the named benchmarks, or all; return how many failed."""
    known = sorted(module.name for module in pkgutil.iter_modules(bench.__path__))
    chosen = names or [name for name in known if name not in NOT_BY_DEFAULT]
    unknown = set(chosen) - set(known)
    if unknown:
        print(f"No benchmark named {', '.join(sorted(unknown))}; there are {', '.join(known)}.")
        return 2
    failed = 0
    for name in chosen:
        print(f"== {name}", flush=True)
        failed += (
            subprocess.run([sys.executable, "-m", f"bench.{name}"], check=False).returncode != 0
        )
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
