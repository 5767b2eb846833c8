"""A migrated PostgreSQL cluster, made once for a parallel run and copied to whoever needs one."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from config.embedded.postgres import DATABASE

__all__ = ["DATABASE", "MIGRATED", "lay_migrated"]

# Names the data directory to copy from; unset where a process makes its own.
MIGRATED = "RUMMY_TEST_CLUSTER"


def lay_migrated(root: Path) -> None:
    """Put the cluster, and the keys without which no server starts on it, into a data directory."""
    if MIGRATED in os.environ:
        made = Path(os.environ[MIGRATED])
        # With its owner, who is not root where the tests are.
        subprocess.run(["cp", "-a", made / "pg", *made.glob("*.secret"), root], check=True)
