"""Start the servers a command needs, or use those of a running demo."""

from __future__ import annotations

import atexit
import base64
import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import IO

import environ

from core.db.binaries import CHECKOUT, CannotStart
from devtools.children import stop_children
from devtools.datadir import DataDir, present_datadir, standing_datadir, throwaway_datadir
from devtools.postgres import start_postgres
from devtools.valkey import start_valkey

# Commands that only read code get placeholders instead of servers.
SERVERLESS = frozenset(
    {"check", "check_migrations", "collectstatic", "compilemessages", "freeze_sql"}
    | {"makemessages", "spectacular", "help", "version", "--help", "-h", "--version"}
)
THROWAWAY = frozenset({"simulate", "generate_sample_data", "makemigrations"})


@dataclass
class Servers:
    """Running servers, which end with this process or by `stop()`."""

    data: DataDir
    lock: IO[str]
    children: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    def stop(self) -> None:
        stop_children(list(self.children.values()), signal.SIGINT)
        self.children.clear()
        if self.data.throwaway:
            self.data.remove()
        self.lock.close()


def are_configured() -> bool:
    return "DATABASE_URL" in os.environ and "REDIS_URL" in os.environ


def must_run(arguments: Sequence[str]) -> bool:
    """Return whether this command line needs embedded servers; else set placeholder URLs."""
    command = arguments[1] if len(arguments) > 1 else "help"
    environ.Env.read_env(CHECKOUT / ".env")
    if are_configured():
        _lend_secrets(command)
        return False
    if command in SERVERLESS:
        os.environ.setdefault("RUMMY_EPHEMERAL", "1")
        return False
    return True


def join_or_start(arguments: Sequence[str]) -> None:
    """Set DATABASE_URL and REDIS_URL to the servers of a running demo or to new ones."""
    is_throwaway = arguments[1] in THROWAWAY and "--attached" not in arguments
    try:
        servers = start(throwaway_datadir() if is_throwaway else present_datadir())
    except (CannotStart, OSError) as error:
        sys.exit(str(error))
    if servers is not None:
        atexit.register(servers.stop)


def start(data: DataDir, *, durable: bool = True) -> Servers | None:
    """Start servers that the environment does not name; return None if `data` is in use."""
    data.prepare()
    lock = data.lock()
    if lock is None:
        os.environ.update(_published(data))
        return None
    servers = Servers(data, lock)
    with ExitStack() as half_started:  # If the start fails, stop the servers started so far.
        half_started.callback(servers.stop)
        data.refuse_lost_key()
        urls: dict[str, str] = {}
        if "REDIS_URL" not in os.environ:
            servers.children["valkey"], urls["REDIS_URL"] = start_valkey(data)
        if "DATABASE_URL" not in os.environ:
            servers.children["postgres"], urls["DATABASE_URL"] = start_postgres(
                data, durable=durable
            )
        environment = urls | _secrets(data) | {"RUMMY_EPHEMERAL": "1"}
        for name, value in environment.items():
            os.environ.setdefault(name, value)
        # Written under another name first, so that readers never see an incomplete file.
        draft = data.root / "servers.draft"
        draft.touch(mode=0o600)
        draft.write_text(json.dumps(environment))
        draft.rename(data.root / "servers.json")
        half_started.pop_all()
    return servers


def _lend_secrets(command: str) -> None:
    """Set the secrets of the demo that uses the caller's servers."""
    if "SECRET_KEY" in os.environ:
        return
    data = standing_datadir()
    if command in THROWAWAY or data.has_secrets():
        lent = _secrets(data) | {"RUMMY_EPHEMERAL": "1"}
        for name, value in lent.items():
            os.environ.setdefault(name, value)


def _secrets(data: DataDir) -> dict[str, str]:
    data.root.mkdir(mode=0o700, parents=True, exist_ok=True)
    root = data.secret("deal-key")
    keys = {"DEAL_KEYS": root, "PAYEE_KEYS": f"payees of {root}"}
    keys["IDENTITY_KEYS"] = f"documents of {root}"
    return {
        "SECRET_KEY": data.secret("secret-key"),
        **{
            name: base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode()
            for name, text in keys.items()
        },
    }


def _published(data: DataDir, seconds: float = 20.0) -> dict[str, str]:
    """Return the environment published by the process with the lock; wait while it starts."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            environment: dict[str, str] = json.loads((data.root / "servers.json").read_text())
        except (OSError, ValueError):
            environment = {}
        if environment and _answers(environment):
            return environment
        if time.monotonic() > deadline:
            raise CannotStart(f"Another process uses {data.root}, but its servers do not answer.")
        time.sleep(0.1)


def _answers(environment: dict[str, str]) -> bool:
    import psycopg

    try:
        psycopg.connect(environment.get("DATABASE_URL", os.environ.get("DATABASE_URL", ""))).close()
    except psycopg.OperationalError:
        return False
    return True
