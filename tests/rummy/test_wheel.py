"""The rules as a wheel, installed where there is nothing else."""

from __future__ import annotations

import subprocess
import sys
import venv
from pathlib import Path

import pytest

import rummy

pytestmark = pytest.mark.extended
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
