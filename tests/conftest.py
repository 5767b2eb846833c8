"""The test run's footing: the schema is the owner's, the tests act as the application's role."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.db.backends.postgresql.operations import DatabaseOperations

from tests.config.product import PUBLIC_TEMP, RunningDemo

APP_ROLE = "rummy_app"
TAX_RATES = Path(__file__).parent.parent / "wallet" / "sql" / "tax_rates.sql"


# Whatever opens the running site: in one process, which starts it once.
AT_THE_SITE = ("tests/browser/", "tests/docs/test_bot_client.py")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Share files out among the processes, and keep those together that share the site."""
    if config.getoption("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class ByFileAndSite(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            is_at_the_site = nodeid.startswith(AT_THE_SITE)
            return AT_THE_SITE[0] if is_at_the_site else super()._split_scope(nodeid)

    return ByFileAndSite(config, log)


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """Let the owner make and drop the database; every connection between is `rummy_app`'s."""
    options = connection.settings_dict["OPTIONS"]
    with django_db_blocker.unblock():
        options["assume_role"] = APP_ROLE
        connection.close()
    yield
    with django_db_blocker.unblock():
        options.pop("assume_role")
        connection.close()


@contextmanager
def as_owner() -> Iterator[None]:
    """Act as the owner of the schema on this thread's connection."""
    with connection.cursor() as cursor:
        cursor.execute("RESET ROLE")
    try:
        yield
    finally:
        if not connection.needs_rollback:
            with connection.cursor() as cursor:
                cursor.execute(f"SET ROLE {APP_ROLE}")


@pytest.fixture
def owner() -> Callable[[], AbstractContextManager[None]]:
    return as_owner


@pytest.fixture(scope="session", autouse=True)
def _flush_as_owner() -> Iterator[None]:
    """Empty tables after transactional tests although the ledger refuses to be emptied."""
    plain_flush = DatabaseOperations.execute_sql_flush

    def flush(self: DatabaseOperations, sql_list: list[str]) -> None:
        with as_owner(), connection.cursor() as cursor:
            cursor.execute("SET session_replication_role = replica")
            try:
                plain_flush(self, sql_list)
                # The rates of the law came with a migration, and went with the rest.
                cursor.execute(TAX_RATES.read_text())
            finally:
                cursor.execute("SET session_replication_role = DEFAULT")

    patch = pytest.MonkeyPatch()
    patch.setattr(DatabaseOperations, "execute_sql_flush", flush)
    yield
    patch.undo()


@dataclass(frozen=True)
class Login:
    email: str
    password: str


@dataclass(frozen=True)
class Site:
    """The whole product, running: what a person's browser would open."""

    url: str
    player: Login
    staff: Login
    # What names its servers to a process that works beside it.
    servers: Path


@pytest.fixture(scope="session")
def site() -> Iterator[Site]:
    """Start the demo once, with bots that think fast, on a data directory of its own."""
    with tempfile.TemporaryDirectory(prefix="rummy-site-", dir=PUBLIC_TEMP) as directory:
        yield from _running_site(Path(directory))


def _running_site(data: Path) -> Iterator[Site]:
    demo = RunningDemo(data, BOT_THINK_SECONDS="0.1")
    try:
        yield Site(
            url=demo.url,
            player=Login("asha@example.com", demo.password),
            staff=Login("admin@example.com", demo.password),
            servers=data / "servers.json",
        )
    finally:
        demo.stop()
