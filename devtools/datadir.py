"""Data directories of the embedded servers and their permissions."""

from __future__ import annotations

import fcntl
import os
import secrets
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from core.db.binaries import CHECKOUT, VARIABLE_TEMP, CannotStart, shared_root, short_hash

THROWAWAY_PREFIX = "rummy-throwaway-"
# A socket's path may have 107 bytes, of which PostgreSQL needs some for the file name.
SOCKET_DIR_LENGTH_MAX = 88


@dataclass(frozen=True)
class DataDir:
    """The directories of a set of servers: `pg`, `valkey`, `run` (sockets) and `log` in `root`."""

    root: Path
    throwaway: bool = False

    @property
    def run(self) -> Path:
        direct = self.root / "run"
        if len(os.fsencode(direct)) <= SOCKET_DIR_LENGTH_MAX:
            return direct
        return shared_root() / f"run-{short_hash(self.root)}"

    @property
    def log(self) -> Path:
        return self.root / "log"

    def prepare(self) -> None:
        """Create the directories; PostgreSQL's get their owner later."""
        try:
            if self.run.parent != self.root:
                _make_shared_root(self.run.parent)
            self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
            for directory in (self.run, self.log, self.root / "valkey"):
                directory.mkdir(mode=0o700, exist_ok=True)
            if os.geteuid() == 0:
                # The unprivileged user may reach `pg` and `run`, but not list this directory.
                self.root.chmod(0o711)
        except OSError as error:
            raise CannotStart(f"Cannot use the data directory {self.root}: {error}.") from error
        if not _can_reach(self.run.parent) or not _can_reach(self.root):
            raise CannotStart(
                f"PostgreSQL cannot run as root, and user nobody cannot reach {self.root}: "
                f"choose a directory that all users may traverse, such as one below "
                f"{VARIABLE_TEMP}."
            )

    def lock(self) -> IO[str] | None:
        """Lock this directory for a set of servers; return None if another process has it."""
        handle = (self.root / "lock").open("a+")
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            handle.close()
            return None
        return handle

    def is_in_use(self) -> bool:
        """Return whether a running process has locked this directory."""
        if not self.root.exists():
            return False
        handle = self.lock()
        if handle is not None:
            handle.close()
        return handle is None

    def has_secrets(self) -> bool:
        return (self.root / "secret-key.secret").exists()

    def refuse_lost_key(self) -> None:
        """Raise `CannotStart` if the deal key is missing; its games could not continue."""
        if (self.root / "pg").exists() and not (self.root / "deal-key.secret").exists():
            raise CannotStart(
                f"{self.root / 'deal-key.secret'} is missing, and with it the seeds of all games: "
                "restore the file, or move that directory away to start with a new demo."
            )

    def remove(self) -> None:
        shutil.rmtree(self.root, ignore_errors=True)

    def secret(self, name: str, size: int = 48) -> str:
        """Return a secret that is generated once and stored beside the data it protects.

        It is text of `size` random bytes.
        """
        path = self.root / f"{name}.secret"
        if not path.exists():
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "w") as handle:
                handle.write(secrets.token_urlsafe(size))
        return path.read_text()


def standing_datadir() -> DataDir:
    """Return the checkout's data directory, which is kept between starts."""
    here = CHECKOUT / ".rummy"
    if os.geteuid() != 0:
        return DataDir(here)
    # PostgreSQL must not run as root, and its user may not reach the checkout.
    root = shared_root()
    _make_shared_root(root)
    here.mkdir(exist_ok=True)
    (here / "data-directory").write_text(f"{root}\n")
    return DataDir(root)


def sample_datadir() -> DataDir:
    """Return the data directory of the demo with sample data, inside the demo's directory."""
    return DataDir(standing_datadir().root / "sample-data")


def register_demo(data: DataDir) -> None:
    """Let the other commands of this checkout find a demo by its data directory."""
    demos = _demos()
    demos.mkdir(mode=0o700, parents=True, exist_ok=True)
    (demos / short_hash(data.root)).write_text(str(data.root))


def present_datadir() -> DataDir:
    """Return the data directory of the running demo, or the standing one if none runs.

    If several demos run, `RUMMY_DATA_DIR` selects one; raise `CannotStart` without it.
    """
    if chosen := os.environ.get("RUMMY_DATA_DIR"):
        return DataDir(Path(chosen).resolve())
    running = []
    for entry in sorted(_demos().glob("*")):
        data = DataDir(Path(entry.read_text()))
        if data.is_in_use():
            running.append(data)
        else:  # The demo has ended.
            entry.unlink(missing_ok=True)
    if len(running) > 1:
        roots = ", ".join(str(data.root) for data in running)
        raise CannotStart(f"Several demos run; set RUMMY_DATA_DIR to one of {roots}.")
    return running[0] if running else standing_datadir()


def _demos() -> Path:
    return standing_datadir().root / "demos"


def throwaway_datadir() -> DataDir:
    """Return a new directory that is removed at the end; also remove those of killed runs."""
    parent = VARIABLE_TEMP if os.geteuid() == 0 else Path(tempfile.gettempdir())
    for leftover in parent.glob(f"{THROWAWAY_PREFIX}*"):
        _remove_if_abandoned(leftover)
    root = Path(tempfile.mkdtemp(prefix=THROWAWAY_PREFIX, dir=parent))
    return DataDir(root, throwaway=True)


def _remove_if_abandoned(leftover: Path) -> None:
    try:
        if leftover.stat().st_uid != os.geteuid() or not (leftover / "lock").exists():
            return
        handle = DataDir(leftover).lock()
    except OSError:
        return
    if handle is not None:
        shutil.rmtree(leftover, ignore_errors=True)
        handle.close()


def _make_shared_root(root: Path) -> None:
    root.mkdir(mode=0o711, exist_ok=True)
    # The name is predictable and the parent is writable for all: refuse another user's directory.
    if root.is_symlink() or root.stat().st_uid != os.geteuid():
        raise CannotStart(f"{root} belongs to another user; remove it first.")


def _can_reach(directory: Path) -> bool:
    """Return whether the server's user may traverse this directory and all above it."""
    if os.geteuid() != 0:
        return True
    return all(step.stat().st_mode & 0o001 for step in (directory, *directory.resolve().parents))
