"""`manage.py doctor`: list available and missing system dependencies of the demo and tests."""

from __future__ import annotations

import argparse
import importlib
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import environ
import psycopg
import redis
from django.core.exceptions import ImproperlyConfigured

from core.db.binaries import CHECKOUT, CannotStart, reachable_binaries
from core.redis import servers
from devtools import launcher
from devtools.datadir import standing_datadir
from devtools.valkey import server_program

FREE_MIB_MIN = 1_024
OLDEST_POSTGRESQL = 18
CONNECT_SECONDS = 3
# Programs that some tests need, and the tests skipped without them.
OPTIONAL = {
    "chromium": "the tests in the browser and make screenshots",
    "pgbouncer": "the tests behind a pooler",
    "nginx": "the tests of the proxy",
    "hledger": "the test that reads the exported ledger with it",
    "ledger": "the test that reads the exported ledger with it",
    "promtool": "the test that fires the alerts",
    "kubectl": "the tests of the base for Kubernetes",
}
# Packages whose name differs from the program's.
PACKAGES = {"promtool": "prometheus", "kubectl": "kubernetes-client"}


@dataclass(frozen=True)
class Finding:
    """A checked dependency: its state as a sentence, and whether a command needs it."""

    is_there: bool
    text: str
    needed: bool = True


def main(arguments: Sequence[str]) -> int:
    """Print a line for each dependency; return 1 if a required one is missing."""
    parser = argparse.ArgumentParser(prog="manage.py doctor", description=__doc__)
    parser.add_argument("--port", type=int, default=8000, help="the demo's port")
    port: int = parser.parse_args(arguments).port
    environ.Env.read_env(CHECKOUT / ".env")
    findings = list(examine(port))
    for found in findings:
        mark = "ok     " if found.is_there else "missing" if found.needed else "without"
        sys.stdout.write(f"{mark}  {found.text}\n")
    return int(any(found.needed and not found.is_there for found in findings))


def examine(port: int) -> Iterator[Finding]:
    """Check all dependencies without starting or changing anything."""
    yield Finding(True, f"Python {sys.version.split()[0]}")
    if launcher.are_configured():
        yield _try(_settings)
    yield _try(_postgresql)
    yield _try(_redis)
    yield _try(_disk)
    yield _try(lambda: _port(port))
    for name, used_by in OPTIONAL.items():
        path = shutil.which(name)
        words = (
            path
            or f"is not installed: {used_by} are skipped (apt install {PACKAGES.get(name, name)})"
        )
        yield Finding(path is not None, f"{name} {words}", needed=False)


def _try(look: Callable[[], str]) -> Finding:
    try:
        return Finding(True, look())
    except (CannotStart, ImproperlyConfigured, OSError, psycopg.Error, redis.RedisError) as error:
        return Finding(False, str(error).strip().splitlines()[0])


def _settings() -> str:
    importlib.import_module("config.settings")
    return "the settings are complete"


def _postgresql() -> str:
    if url := os.environ.get("DATABASE_URL"):
        with psycopg.connect(url, connect_timeout=CONNECT_SECONDS) as connection:
            version = connection.info.server_version // 10_000
        if version < OLDEST_POSTGRESQL:
            raise CannotStart(
                f"PostgreSQL {version} at DATABASE_URL is too old: {OLDEST_POSTGRESQL} is needed"
            )
        return f"PostgreSQL {version} answers at DATABASE_URL"
    program = reachable_binaries() / "postgres"
    shown = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
    return f"{shown.stdout.strip()} is installed in the virtualenv"


def _redis() -> str:
    if url := os.environ.get("REDIS_URL"):
        servers.client(url, socket_connect_timeout=CONNECT_SECONDS).ping()
        return "Redis answers at REDIS_URL"
    shown = subprocess.run(
        [server_program(), "--version"], capture_output=True, text=True, check=True
    )
    return f"{shown.stdout.split(' sha=')[0].strip()} is installed in the virtualenv"


def _disk() -> str:
    place: Path = standing_datadir().root
    while not place.exists():
        place = place.parent
    free = shutil.disk_usage(place).free // 2**20
    if free < FREE_MIB_MIN:
        raise CannotStart(f"{free} MiB are free in {place}; the demo needs {FREE_MIB_MIN}")
    return f"{free} MiB are free in {place}"


def _port(port: int) -> str:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            raise CannotStart(
                f'port {port} is in use by a demo or another program (make demo ARGS="--port 9000")'
            ) from error
    return f"port {port} is free"
