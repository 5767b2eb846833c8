"""A process on the servers of a running site that prepares states faster than clicking would.

It reads a line of JSON for each wish, `["tests.browser.prepared_pool", "between", "asha"]`, calls
that module's `main` with the rest, and answers with a line: what it returned, or the traceback. It
ends with its input.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import traceback
from importlib import import_module
from pathlib import Path
from typing import Any

import django

from tests.builders.processes.product import CHECKOUT, environment

_processes: dict[Path, subprocess.Popen[str]] = {}


def run_beside(site: Any, module: str, *arguments: str) -> str:
    """Call the `main` of a module in the process beside the site; return its result."""
    process = _processes.get(site.servers)
    if process is None or process.poll() is not None:
        process = _processes[site.servers] = _start(site.servers)
    assert process.stdin
    assert process.stdout
    process.stdin.write(f"{json.dumps([module, *arguments])}\n")
    process.stdin.flush()
    answer = json.loads(process.stdout.readline())
    assert "error" not in answer, answer["error"]
    returned: str = answer["returned"]
    return returned


def _start(servers: Path) -> subprocess.Popen[str]:
    named = json.loads(servers.read_text()) | {"DJANGO_SETTINGS_MODULE": "config.settings"}
    return subprocess.Popen(
        [sys.executable, "-m", "tests.browser.beside"],
        cwd=CHECKOUT,
        env=environment(**named) | {"PATH": os.environ["PATH"]},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )


def main() -> None:
    """Answer requests until the input ends; other output goes to standard error."""
    from django.db import close_old_connections

    answers, sys.stdout = sys.stdout, sys.stderr
    for line in sys.stdin:
        module, *arguments = json.loads(line)
        try:
            answer = {"returned": import_module(module).main(*arguments)}
        except Exception:
            answer = {"error": traceback.format_exc()}
        close_old_connections()
        answers.write(f"{json.dumps(answer)}\n")
        answers.flush()


if __name__ == "__main__":
    django.setup()
    main()
