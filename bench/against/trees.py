"""The two checkouts that are compared, each with an environment from its own lock file."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).resolve().parents[2]
UV: Final = HERE / ".tools" / "bin" / "uv"
# Development packages are left out: a tree that finds them installed may import them.
SYNC: Final = ("sync", "--quiet", "--frozen", "--no-dev", "--extra", "embedded")
# A machine with its own certificate authority has it in the system's store.
SYSTEM_CERTIFICATES: Final = {"UV_SYSTEM_CERTS": "1", "UV_NATIVE_TLS": "1"}
# Variables that name the caller's servers or paths; each checkout starts its own.
NOT_INHERITED: Final = ("DATABASE_", "REDIS_", "REPLICA_", "DJANGO_", "PYTHON", "UV_PROJECT")


class CannotCompare(Exception):
    """The comparison cannot be made; the message says what to change."""


@dataclass(frozen=True)
class Tree:
    """A checkout and the interpreter of its environment."""

    side: str
    path: Path
    python: Path
    identity: str
    """The commit, and a hash of uncommitted changes; results are stored under it."""

    def environment(self, **added: str) -> dict[str, str]:
        """Return the environment of the tree's processes."""
        kept = {
            name: value for name, value in os.environ.items() if not name.startswith(NOT_INHERITED)
        }
        # The interpreter's folder first: servers look up programs there, too.
        path = f"{self.python.parent}{os.pathsep}{kept.get('PATH', os.defpath)}"
        own = {"PYTHONPATH": str(self.path), "PYTHONPYCACHEPREFIX": str(self.bytecode)}
        return kept | {"PATH": path, **own, **added}

    @property
    def bytecode(self) -> Path:
        """Return the folder of compiled modules, outside the checkout."""
        return self.python.parent.parent / "bytecode"


def commit_of(revision: str) -> str:
    """Return the full name of a commit of this repository; raise `CannotCompare` without one."""
    found = _git("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}", check=False)
    if not found:
        raise CannotCompare(f"{revision!r} names no commit of this repository.")
    return found


def this_tree(folder: Path, python: str | None = None) -> Tree:
    """Return this checkout with its changes; without `python` with an environment in `folder`."""
    if (HERE / ".env").exists():
        raise CannotCompare(f"{HERE / '.env'} names servers: move it away while you compare.")
    changes = _git("diff", "HEAD", "--binary")
    for name in _git("ls-files", "--others", "--exclude-standard").splitlines():
        changes += f"{name} {hashlib.sha256((HERE / name).read_bytes()).hexdigest()}"
    identity = _git("rev-parse", "HEAD")
    if changes:
        identity += f"+{hashlib.sha256(changes.encode()).hexdigest()[:12]}"
    found = Path(python) if python else _synchronised(HERE, folder / "environment-now")
    return Tree("now", HERE, found, identity)


@contextmanager
def checked_out(
    revision: str, folder: Path, *, keep: bool, python: str | None = None
) -> Iterator[Tree]:
    """Check a revision out below `folder`; remove the checkout after.

    Without `python` its environment is made, too.
    """
    commit, path = commit_of(revision), folder / "tree"
    if path.exists() and _git("rev-parse", "HEAD", cwd=path, check=False) != commit:
        _remove_worktree(path)
    if not path.exists():
        _git("worktree", "add", "--quiet", "--force", "--detach", str(path), commit)
    try:
        found = Path(python) if python else _synchronised(path, folder / "environment-then")
        yield Tree("then", path, found, commit)
    finally:
        if not keep:
            _remove_worktree(path)


def _remove_worktree(path: Path) -> None:
    _git("worktree", "remove", "--force", str(path), check=False)


def _synchronised(path: Path, environment: Path) -> Path:
    """Create a virtual environment from the checkout's lock file; return its interpreter."""
    if not UV.exists():
        raise CannotCompare(f"{UV} is missing: run `make doctor` first, which fetches it.")
    command = [str(UV), *SYNC, "--python", sys.executable]
    named = os.environ | {"UV_PROJECT_ENVIRONMENT": str(environment)}
    first = subprocess.run(command, cwd=path, env=named, check=False, capture_output=True)
    if first.returncode != 0:
        again = named | SYSTEM_CERTIFICATES
        done = subprocess.run(
            command, cwd=path, env=again, check=False, capture_output=True, text=True
        )
        if done.returncode != 0:
            raise CannotCompare(f"The environment of {path} cannot be made: {done.stderr.strip()}")
    return environment / "bin" / "python"


def _git(*arguments: str, cwd: Path = HERE, check: bool = True) -> str:
    done = subprocess.run(["git", *arguments], cwd=cwd, check=False, capture_output=True, text=True)
    if check and done.returncode != 0:
        raise CannotCompare(f"git {arguments[0]} failed: {done.stderr.strip()}")
    return done.stdout.strip()
