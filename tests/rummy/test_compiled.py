"""The modules compiled by mypyc pass their tests and decide like their sources."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import rummy
from devtools.compile_rules import HOT, clean, compile_rules

CHECKOUT = Path(rummy.__file__).parents[1]
NEEDED = ("mypyc", "setuptools")
DEALS = """
import random
from rummy.notation.profiles import profile
from rummy.numbers.deals import deal_of, play

for name, players in (("total-rummy-points", 3), ("vengala-points", 2), ("rummycentral-points", 4)):
    for seed in range(2):
        rng = random.Random(seed)
        print(play(deal_of(profile(name), players, rng), "strong", rng))
"""
"""Prints hands, turns and results of deals of strong bots under all rules of their groups."""

# The tests of what is compiled, and of the deals that are scored by it.
TESTED = [f"tests/rummy/{package}" for package in ("solver", "bots", "thirteen")]

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


def test_compiled_modules_pass_the_tests_of_their_sources_and_decide_alike(tmp_path: Path) -> None:
    for entry in CHECKOUT.iterdir():
        if entry.name not in {"rummy", ".git", "build", "dist"}:
            (tmp_path / entry.name).symlink_to(entry)
    shutil.copytree(CHECKOUT / "rummy", tmp_path / "rummy")

    made = compile_rules(tmp_path)

    which = "import rummy.solver.rows as r; print(r.__file__, type(r.Shape.table).__name__)"
    file, kind = run("-c", which, cwd=tmp_path).split()
    assert (Path(file).suffix, kind) == (".so", "method_descriptor")
    assert {Path("rummy", f"{name}.py") for name in HOT} <= {
        path.parent / f"{path.name.split('.')[0]}.py" for path in made
    }
    assert run("-c", DEALS, cwd=tmp_path) == run("-c", DEALS, cwd=CHECKOUT)
    tests = ["-m", "pytest", *TESTED, "-q", "-m", "not soak and not extended"]
    printed = run(*tests, "-p", "no:cacheprovider", cwd=tmp_path)
    assert " passed" in printed
    clean(tmp_path)
    assert not any((tmp_path / path).exists() for path in made)
