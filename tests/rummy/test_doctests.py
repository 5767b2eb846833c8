"""Every public function of the rules shows an example, and pytest runs them all."""

from __future__ import annotations

import ast
import doctest
import re
import subprocess
import sys
import venv
from pathlib import Path

import pytest

import rummy

ROOT = Path(rummy.__file__).parent
# Bots and environments are shown in the README.
WITHOUT = {"bots", "learning"}
MODULES = sorted(path for path in ROOT.rglob("*.py") if not WITHOUT & set(path.parts))
assert len(MODULES) > 40
UNSHOWN = {"property", "cached_property", "overload"}
TYPES = (ast.FunctionDef, ast.ClassDef)


def unshown(body: list[ast.stmt], inside: str = "") -> list[str]:
    """Public functions and methods without an example; protocols need none, nor does UNSHOWN."""
    found = []
    for node in body:
        if not isinstance(node, TYPES) or node.name.startswith("_"):
            continue
        name = f"{inside}{node.name}"
        if isinstance(node, ast.ClassDef):
            if any("Protocol" in ast.unparse(base) for base in node.bases):
                continue
            found += unshown(node.body, f"{name}.")
        elif not any(ast.unparse(mark) in UNSHOWN for mark in node.decorator_list):
            found += [] if ">>> " in (ast.get_docstring(node) or "") else [name]
    return found


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.stem))
def test_every_public_function_shows_an_example(module: Path) -> None:
    assert unshown(ast.parse(module.read_text(encoding="utf-8")).body) == []


def test_the_examples_of_the_readme() -> None:
    readme = Path(rummy.__file__).parent / "README.md"

    failed, tried = doctest.testfile(
        str(readme), module_relative=False, optionflags=doctest.ELLIPSIS
    )

    assert tried > 20
    assert not failed


def test_ten_examples_take_ten_lines_each_at_most() -> None:
    readme = (Path(rummy.__file__).parent / "README.md").read_text(encoding="utf-8")
    jobs = readme.split("## Ten examples")[1].split("\n## ")[0]

    found = re.findall(
        r"^\*\*(\d+)\. .+?\*\*\n\n```python\n(.+?)```", jobs, re.DOTALL | re.MULTILINE
    )

    assert [int(number) for number, _ in found] == list(range(1, 11))
    for number, code in found:
        assert len(code.strip().splitlines()) <= 10, number
        assert code.startswith(">>> "), number


SOURCE = Path(rummy.__file__).parent
BUILD = ["hatchling", "build", "--target", "wheel", "--directory"]


def run(*words: str | Path, cwd: Path) -> str:
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=cwd)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.soak
def test_the_wheel_is_whole_in_a_bare_environment(tmp_path: Path) -> None:
    run(sys.executable, "-m", *BUILD, tmp_path, cwd=SOURCE)
    [wheel] = tmp_path.glob("*.whl")
    venv.create(tmp_path / "bare", with_pip=True)
    bare = tmp_path / "bare" / "bin"
    run(bare / "pip", "install", "--quiet", "--no-index", wheel, cwd=tmp_path)

    [home] = run(
        bare / "python", "-c", "import rummy; print(rummy.__path__[0])", cwd=tmp_path
    ).splitlines()
    installed = {path.relative_to(home) for path in Path(home).rglob("*.py")}
    assert installed == {path.relative_to(SOURCE) for path in SOURCE.rglob("*.py")}
    assert (Path(home) / "py.typed").exists()
    metadata = "import importlib.metadata as m; d = m.distribution('pool-rummy-rules')"
    shown = f"{metadata}; print(d.version, [need for need in d.requires if 'extra' not in need])"
    assert run(bare / "python", "-c", shown, cwd=tmp_path) == f"{rummy.__version__} []\n"
    # The examples of the README, with only the wheel installed.
    run(bare / "python", "-m", "doctest", "-o", "ELLIPSIS", SOURCE / "README.md", cwd=tmp_path)
    scored = run(bare / "rummy", "perft", "--seed", "7", "--depth", "2", cwd=tmp_path)
    assert scored
