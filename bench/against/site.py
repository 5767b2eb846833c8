"""The demo of a checkout with its servers, and a separate ledger for posting."""

from __future__ import annotations

import json
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import psycopg

from bench.against import adapter, children
from bench.against.client import Client
from bench.against.trees import CannotCompare, Tree

START_SECONDS: Final = 180.0
# PostgreSQL does not run as root, and its user has to reach the data.
DATA_PARENT: Final = Path("/var/tmp")  # noqa: S108  Each directory below it is made by mkdtemp.
SUPERUSER: Final = "postgres"
PASSWORD: Final = "Bench-pass-" + secrets.token_hex(8)


class Site:
    """The demo of a checkout in its own data directory; `close()` stops and deletes it."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.data = Path(tempfile.mkdtemp(prefix=f"against-{tree.side}-", dir=DATA_PARENT))
        self.data.chmod(0o711)
        self.port = free_port()
        self._password = secrets.token_hex(8)
        self._closing = ExitStack()
        self.seconds_to_first_page = self.start()

    def start(self) -> float:
        """Start the demo; return the seconds until its first page."""
        began = time.monotonic()
        self.demo = children.start(
            adapter.demo_command(self.tree, self.port, self.data),
            cwd=self.tree.path,
            environment=self.environment(DEMO_PASSWORD=self._password),
            log=self.data / "demo.log",
        )
        try:
            wait_for_page(self.port, self.demo, self.data / "demo.log")
        except BaseException:
            self.close()
            raise
        return time.monotonic() - began

    def restart(self) -> None:
        """Stop the demo and its additional servers, and start the demo again with its data."""
        self._closing.close()
        self.__dict__.pop("web", None)
        children.stop(self.demo)
        self.start()

    def close(self) -> None:
        self._closing.close()
        children.stop(self.demo)
        shutil.rmtree(self.data, ignore_errors=True)

    def environment(self, **added: str) -> dict[str, str]:
        return self.tree.environment(RUMMY_EPHEMERAL="1", **adapter.LIMITS, **added)

    @cached_property
    def web(self) -> Web:
        """Return the site's server under WSGI, started when it is first asked for."""
        return self.serve({})

    def serve(self, named: dict[str, str]) -> Web:
        """Start pages and the API under WSGI in separate processes, in addition to the demo."""
        web = Web(self, named)
        self._closing.callback(web.close)
        return web

    @property
    def servers(self) -> dict[str, str]:
        return adapter.servers_of(self.data)

    def superuser(self) -> psycopg.Connection[tuple[Any, ...]]:
        """Connect to the site's database as PostgreSQL's superuser."""
        return psycopg.connect(self.servers["DATABASE_URL"], user=SUPERUSER, autocommit=True)

    def url_of(self, database: str) -> str:
        """Return the owner's URL of another database on the same server."""
        head, _, query = self.servers["DATABASE_URL"].partition("?")
        return f"{head.rpartition('/')[0]}/{database}?{query}"

    def manage(self, *arguments: str, **environment: str) -> str:
        """Run a command of the checkout's `manage.py` with its servers; return the output."""
        return manage(self.tree, *arguments, **(self.servers | adapter.LIMITS | environment))

    def signed_up(self, port: int = 0) -> Client:
        """Return a new player with the play points of a new account."""
        client, handle = Client(port or self.port), f"b{secrets.token_hex(6)}"
        email = f"{handle}@example.com"
        client.form("/accounts/signup/", email=email, handle=handle, password1=PASSWORD)
        return client

    def programs(self, name: str) -> Path:
        """Return a program that came with the tree's own PostgreSQL."""
        environment = self.tree.python.parent.parent
        found = sorted(environment.glob(f"lib/python*/site-packages/*/**/bin/{name}"))
        if not found:
            raise CannotCompare(f"The environment of {self.tree.path} has no {name}.")
        return found[0]


class Web:
    """Pages and the API under WSGI, in separate processes."""

    def __init__(self, site: Site, named: dict[str, str]) -> None:
        self.port = free_port()
        log = site.data / f"web-{self.port}.log"
        self.process = children.start(
            adapter.web_command(site.tree, self.port),
            cwd=site.tree.path,
            environment=site.environment() | site.servers | named,
            log=log,
        )
        wait_for_page(self.port, self.process, log)

    def close(self) -> None:
        children.stop(self.process)


def manage(tree: Tree, *arguments: str, **environment: str) -> str:
    """Run a command of a checkout's `manage.py` and return the output; raise if it fails."""
    done = subprocess.run(
        [str(tree.python), "manage.py", *arguments],
        cwd=tree.path,
        env=tree.environment(**environment),
        check=False,
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip()[-2000:]
        raise CannotCompare(f"manage.py {' '.join(arguments)} failed on {tree.side}: {said}")
    return done.stdout


def last_json(text: str) -> Any:
    """Return the JSON of a command's last line."""
    return json.loads(text.strip().splitlines()[-1])


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for_page(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    """Wait until a server answers its health check or its first page."""

    def answers() -> bool:
        if process.poll() is not None:
            last = log.read_text(errors="replace")[-2000:]
            raise CannotCompare(f"A server ended by itself: {last}")
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=30).close()
        except urllib.error.HTTPError as error:
            raise CannotCompare(f"The first page was answered {error}; see {log}") from error
        except OSError:
            return False
        return True

    wait(answers, START_SECONDS, "a first page", pause=0.05)


def wait(condition: Callable[[], bool], seconds: float, what: str, *, pause: float = 0.1) -> None:
    """Wait until a condition holds; raise `CannotCompare` if it does not in time."""
    until = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > until:
            raise CannotCompare(f"Waited {seconds:.0f} s for {what}.")
        time.sleep(pause)


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
