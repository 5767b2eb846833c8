"""docker-compose.yml in Podman: `python -m tests.trials compose`.

Builds the image, starts every service, runs each health check, lets the documentation's example
client play a practice pool through the proxy (HTTPS and a socket) to its payout, audits the ledger
and stops everything. Printed are the size of the image, the seconds of each step, and for each
service its user and its exit code.

`--stand-ins` builds the third-party images (`containers.stand_ins`) where no registry can be
reached. Images stay in the store for the next run, containers and volumes do not.
"""

from __future__ import annotations

import argparse
import os
import re
import secrets
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Final

from cryptography.fernet import Fernet

from tests.builders.processes.product import CHECKOUT, PUBLIC_TEMP, free_port
from tests.builders.processes.proxy import make_certificate
from tests.builders.processes.tokens import made_token
from tests.trials.containers.engine import Engine, missing_programs
from tests.trials.containers.stand_ins import build_stand_ins

STARTED_AT_MOST_SECONDS: Final = 600.0
PLAYED_AT_MOST_SECONDS: Final = 900.0
SERVERS: Final = ("postgres", "redis")
# The demo's tables and players, which a new installation lacks.
FURNISH: Final = """
from devtools.demo_site import players_and_tables
players_and_tables.furnish(password="{password}")
"""
CLIENT: Final = CHECKOUT / "docs" / "examples" / "bot_client.py"


def try_compose(options: argparse.Namespace) -> int:
    if missing := missing_programs():
        _say(f"No trial: apt-get install {' '.join(missing)}")
        return 0
    store = options.store or Path(PUBLIC_TEMP) / "rummy-compose"
    variables = _variables(store)
    engine = Engine(store, variables)
    programs = f"{engine.podman('--version').strip()}, podman-compose {version('podman-compose')}"
    _say(f"{datetime.now(UTC):%Y-%m-%d}, load {os.getloadavg()[0]:.1f}, {programs}")
    if options.stand_ins:
        with timed("stand-ins"):
            build_stand_ins(engine)
    if not options.as_built:
        with timed("image built"):
            engine.compose("build", "migrate")
    engine.compose("down", "--volumes")  # Of a run with `--keep`.
    try:
        _try(engine, variables)
    finally:
        if not options.keep:
            engine.compose("down", "--volumes")
    return 0


def _variables(store: Path) -> dict[str, str]:
    """Return what `.env` would say: secrets for this run, and ports of loopback alone."""
    tls = store / "tls"
    tls.mkdir(parents=True, exist_ok=True)
    make_certificate(tls)
    secret = ("POSTGRES_PASSWORD", "OWNER_PASSWORD", "WEB_PASSWORD", "SETTLE_PASSWORD")
    secret += ("INTAKE_PASSWORD", "REDIS_PASSWORD")
    keys = ("DEAL_KEYS", "PAYEE_KEYS", "IDENTITY_KEYS")
    return {
        "SECRET_KEY": secrets.token_urlsafe(64),
        **{name: Fernet.generate_key().decode() for name in keys},
        **{name: secrets.token_hex(16) for name in secret},
        "TLS_DIR": str(tls),
        "PORT": f"127.0.0.1:{free_port()}",
        "HTTPS_PORT": f"127.0.0.1:{free_port()}",
        "BOT_THINK_SECONDS": "0.2",
        "EMAIL_URL": "consolemail://",
    }


def _try(engine: Engine, variables: dict[str, str]) -> None:
    _say(f"image: {_megabytes(engine)}")
    with timed("database and Redis"):
        _start(engine, *SERVERS)
    with timed("migrated"):
        _migrate(engine)
    others = [name for name in engine.services if name not in {*SERVERS, "migrate"}]
    with timed("all others"):
        _start(engine, *others)
    with timed("a pool played"):
        _play(engine, variables)
    _say(engine.inside("web", "python", "manage.py", "audit_ledger").strip())
    users = {name: engine.inside(name, "id", "-u").strip() for name in [*SERVERS, *others]}
    with timed("stopped"):
        engine.compose("stop", "--timeout", "20")
    for name, container in engine.containers().items():
        _say(f"  {name}: user {users.get(name, '-')}, ended with {container['ExitCode']}")
    assert "0" not in users.values(), "no process runs as root"


@contextmanager
def timed(what: str) -> Iterator[None]:
    began = time.monotonic()
    yield
    _say(f"{what}: {time.monotonic() - began:.1f} s")


def _start(engine: Engine, *services: str) -> None:
    engine.compose("up", "--detach", "--no-deps", *services)
    well = engine.wait_until_well(*services, seconds=STARTED_AT_MOST_SECONDS)
    _say("  " + ", ".join(f"{name} {seconds} s" for name, seconds in sorted(well.items())))


def _migrate(engine: Engine) -> None:
    engine.compose("up", "--detach", "--no-deps", "migrate")
    code = engine.podman("wait", engine.name("migrate")).strip()
    if code != "0":
        raise SystemExit(f"migrate ended with {code}\n{engine.logs('migrate')}")


def _play(engine: Engine, variables: dict[str, str]) -> None:
    password = secrets.token_urlsafe(16)
    engine.inside("web", "python", "manage.py", "shell", "-c", FURNISH.format(password=password))
    trusted = f"{variables['TLS_DIR']}/fullchain.pem"
    os.environ["REQUESTS_CA_BUNDLE"] = trusted
    url = f"https://localhost:{variables['HTTPS_PORT'].rpartition(':')[2]}"
    token = made_token(url, "ravi@example.com", password)
    played = subprocess.run(
        [sys.executable, str(CLIENT), url, token],
        env=os.environ | {"SSL_CERT_FILE": trusted},
        capture_output=True,
        text=True,
        timeout=PLAYED_AT_MOST_SECONDS,
        check=False,
    )
    if played.returncode:
        raise SystemExit(f"{played.stdout}\n{played.stderr}\n{engine.logs('web, live, proxy')}")
    for line in played.stdout.splitlines():
        _say(f"  {line}")


def _megabytes(engine: Engine) -> str:
    said = engine.podman("image", "inspect", "--format", "{{.Size}} {{.User}}", "pool-rummy")
    size, user = said.split()
    base = re.search(r"^FROM (\S+)$", (CHECKOUT / "Dockerfile").read_text(), re.MULTILINE)
    assert base is not None, "the last stage has no name"
    ground = int(engine.podman("image", "inspect", "--format", "{{.Size}}", base[1]))
    return f"{int(size) / 1e6:.0f} MB, of which {ground / 1e6:.0f} MB are {base[1]}; user {user}"


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
