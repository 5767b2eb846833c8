"""The solver compiled by mypyc passes the library's tests like its sources."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import rummy
from devtools.compile_rules import clean, compile_rules

CHECKOUT = Path(rummy.__file__).parents[1]
NEEDED = ("mypyc", "setuptools")

pytestmark = [
    pytest.mark.extended,
    pytest.mark.timeout(2400),
    pytest.mark.skipif(shutil.which("gcc") is None, reason="no C compiler"),
    pytest.mark.skipif(
        any(importlib.util.find_spec(name) is None for name in NEEDED),
        reason="no mypyc or setuptools",
    ),
]


def run(*words: str | Path, cwd: Path) -> str:
    done = subprocess.run(
        [sys.executable, *words], capture_output=True, text=True, check=False, cwd=cwd
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    return done.stdout


def test_compiled_solver_passes_the_tests_of_the_library(tmp_path: Path) -> None:
    for entry in CHECKOUT.iterdir():
        if entry.name not in {"rummy", ".git", "build", "dist"}:
            (tmp_path / entry.name).symlink_to(entry)
    shutil.copytree(CHECKOUT / "rummy", tmp_path / "rummy")

    made = compile_rules(tmp_path)

    which = "import rummy.solver.rows as r; print(r.__file__, type(r.Shape.table).__name__)"
    file, kind = run("-c", which, cwd=tmp_path).split()
    assert (Path(file).suffix, kind) == (".so", "method_descriptor")
    tests = ["-m", "pytest", "tests/rummy", "-q", "-m", "not soak and not extended"]
    printed = run(*tests, "-p", "no:cacheprovider", cwd=tmp_path)
    assert " passed" in printed
    clean(tmp_path)
    assert not any((tmp_path / path).exists() for path in made)
