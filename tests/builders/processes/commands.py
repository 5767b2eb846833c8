"""Commands of `manage.py` as processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.builders.processes.product import CHECKOUT


def run_command(name: str, *arguments: object, **environment: str) -> tuple[int, list[str]]:
    """Run a command as a process of its own; return its exit code and what it complained of."""
    done = manage(name, *arguments, **environment)
    return done.returncode, done.stderr.strip().splitlines()


def manage(name: str, *arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command as a process of its own, in this process's environment and another one."""
    given = os.environ | {"RUMMY_EPHEMERAL": "1", "SECRET_KEY": "x" * 50} | environment
    given.pop("DJANGO_SETTINGS_MODULE", None)
    command = [sys.executable, "manage.py", name, *map(str, arguments)]
    return subprocess.run(
        command, cwd=CHECKOUT, env=given, capture_output=True, text=True, check=False
    )
