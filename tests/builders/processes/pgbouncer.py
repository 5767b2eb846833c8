"""The PgBouncer of this machine, and whether it supports prepared statements."""

from __future__ import annotations

import re
import shutil
import subprocess

# Debian installs it where only root looks.
PROGRAM = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")


def keeps_statements() -> bool:
    """Return whether a statement that a client has prepared is there on each connection it lends.

    PgBouncer does from 1.21 on, if `max_prepared_statements` says of how many.
    """
    if PROGRAM is None:
        return False
    said = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True, check=True)
    found = re.search(r"PgBouncer (\d+)\.(\d+)", said.stdout)
    return found is not None and (int(found[1]), int(found[2])) >= (1, 21)
