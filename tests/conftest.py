"""The test run's footing: the schema is the owner's, the tests act as the application's role."""

from __future__ import annotations

import gc
import hashlib
import os
import tempfile
import zlib
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from datetime import timedelta
from importlib import import_module
from itertools import count
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest
from _pytest.doctest import DoctestModule
from asgiref.sync import SyncToAsync
from django.conf import settings
from django.core.cache import cache as django_cache
from django.db import connection, connections
from django.db.backends.postgresql.operations import DatabaseOperations
from django.utils import translation

from tests.builders.people.push_service import PUSH_KEY
from tests.builders.processes.logins import APP_ROLE, as_owner
from tests.builders.processes.product import PUBLIC_TEMP, RunningDemo
from tests.cluster import DATABASE, MIGRATED, TRIAL_POLICIES, lay_migrated
from tests.emptying import close_owner, flush

if TYPE_CHECKING:
    from tests.builders.processes.faults import Faults

SITE = "site"

# Until the tests are collected nearly all that is made stays.
gc.disable()


def pytest_report_header() -> str:
    rates = ", ".join(
        f"{scope} {both.player or both.network}" for scope, both in settings.THROTTLES.items()
    )
    return f"throttles: {rates}, new accounts {settings.ACCOUNT_RATE_LIMITS['signup']}"


@pytest.hookimpl(wrapper=True)
def pytest_collect_file() -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Search no examples in the tests: they have none, and their builders would be imported."""
    return [each for each in (yield) if not isinstance(each, DoctestModule)]


def pytest_itemcollected(item: pytest.Item) -> None:
    """Keep a file in one process of a parallel run; what opens the site has processes of its own.

    What a file shares is made once, and so is the site: two sites for about half of its files each,
    whose tests wait for bots more than they compute. What commits waits for `make test-all`.
    """
    group = _file_of(item)
    if _opens_the_site(item):
        group = f"{SITE} {zlib.crc32(group.encode()) % 2 + 1}"
    item.add_marker(pytest.mark.xdist_group(group))
    if _commits(item):
        item.add_marker(pytest.mark.extended)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what opens the site: its tests wait for a browser while others compute."""
    items.sort(key=lambda item: not _opens_the_site(item))


def pytest_sessionstart() -> None:
    """Register the admin's pages, which some modules list while they are collected."""
    import_module("config.urls")


def pytest_collection_finish() -> None:
    """Leave what was imported and collected out of every later search for garbage."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    gc.enable()


def _opens_the_site(item: pytest.Item) -> bool:
    return bool(item.get_closest_marker("browser") or "site" in getattr(item, "fixturenames", ()))


def _commits(item: pytest.Item) -> bool:
    """Return whether a test commits, as races and crashes do; its rows are deleted afterwards."""
    asked = item.get_closest_marker("django_db")
    return "transactional_db" in getattr(item, "fixturenames", ()) or bool(
        asked and asked.kwargs.get("transaction")
    )


def _file_of(item: pytest.Item) -> str:
    """Return the path of a test's file from the checkout, the same on every machine."""
    return item.path.relative_to(item.config.rootpath).as_posix()


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix: None) -> None:
    if MIGRATED in os.environ:
        connection.settings_dict["TEST"]["TEMPLATE"] = DATABASE


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """Let the owner make and drop the database; every connection between is `rummy_app`'s."""
    options = connection.settings_dict["OPTIONS"]
    with django_db_blocker.unblock():
        with connection.cursor() as cursor:
            cursor.execute(TRIAL_POLICIES)
            cursor.execute("SELECT ledger_mark_demo()")  # Before the first transfer.
        options["assume_role"] = APP_ROLE
        connection.close()
    yield
    with django_db_blocker.unblock():
        options.pop("assume_role")
        connection.close()
        close_owner()
        # Sockets use this thread; its connection would keep the database from being dropped.
        SyncToAsync.single_thread_executor.submit(connections.close_all).result()


@pytest.fixture(autouse=True)
def _settlement_worker(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the settlement that a step leaves to a worker, except in tests that need none."""
    if request.node.get_closest_marker("django_db") and not request.node.get_closest_marker(
        "no_settlement_worker"
    ):
        from tests.builders.tables.settlement_worker import follow_steps

        follow_steps(monkeypatch)


@pytest.fixture
def owner() -> Callable[[], AbstractContextManager[None]]:
    return as_owner


@pytest.fixture
def calendar(db: None) -> Iterator[int]:
    """Return the last day that has ended, and reset the site's calendar afterwards."""
    calendars = import_module("tests.builders.books.calendars")
    ended = calendars.last_ended()
    yield ended
    calendars.set_calendar(ended)


@pytest.fixture
def clocks(db: None) -> Iterator[ModuleType]:
    """Return `tests.builders.processes.clocks`; the database's clock is set right afterwards."""
    clocks = import_module("tests.builders.processes.clocks")
    yield clocks
    if not connection.needs_rollback:
        clocks.shift_clock(timedelta())


@pytest.fixture
def lawful(db: None) -> None:
    """Let cash be played for in Karnataka, where depositors live."""
    import_module("tests.builders.people.regions").open_region("IN-KA")


@pytest.fixture
def untaxed(db: None) -> None:
    """Charge no GST, so that what is paid in is what is credited."""
    no_gst = import_module("tests.builders.wallet.tax_office").no_gst
    no_gst()


@pytest.fixture
def fresh_cache() -> None:
    """Forget what other tests have used up of limits and counts."""
    django_cache.clear()


@pytest.fixture(autouse=True)
def _site_language() -> Iterator[None]:
    """Let no test read in the language the last request of another one was answered in."""
    yield
    translation.deactivate()


@pytest.fixture(scope="session", autouse=True)
def _flush_as_owner() -> Iterator[None]:
    """Empty tables after transactional tests although the ledger refuses to be emptied."""
    patch = pytest.MonkeyPatch()
    patch.setattr(DatabaseOperations, "execute_sql_flush", flush)
    patch.setattr("django.core.management.commands.flush.emit_post_migrate_signal", _nothing)
    yield
    patch.undo()


def _nothing(*_arguments: object, **_options: object) -> None:
    """What the signal would make again has been kept."""


@pytest.fixture(autouse=True)
def _chance_repeats(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Deal a test the same cards on every machine and in every run: a failure can be repeated."""
    drawn = count(1)
    name = f"{_file_of(request.node)}::{request.node.name}".split("@")[0]

    def urandom(size: int) -> bytes:
        text = f"{name} {next(drawn)}"
        return hashlib.shake_256(text.encode()).digest(size)

    monkeypatch.setattr("tables.history.fairness.seeds.os", SimpleNamespace(urandom=urandom))


@pytest.fixture
def plans_made_anew(db: None) -> None:
    """Forget how functions searched tables that were empty; this test fills them."""
    with connection.cursor() as cursor:
        cursor.execute("DISCARD PLANS")


@pytest.fixture
def test_database() -> dict[str, str]:
    """The environment of a process of the product's own that works on the test database."""
    url = urlsplit(os.environ["DATABASE_URL"])
    url = url._replace(path=f"/{connection.settings_dict['NAME']}")
    return os.environ | {
        "DATABASE_URL": url.geturl(),
        "DJANGO_SETTINGS_MODULE": "config.settings",
    }


@pytest.fixture
def faults() -> Faults:
    from tests.builders.processes.faults import Faults  # Models: only once Django is set up.

    return Faults()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Let tests that start from the same rows run one after the other, in one transaction."""
    from tests.builders.tables.shared import builder_of

    for name in metafunc.fixturenames:
        if builder_of(metafunc.module.__name__, name):
            hidden = pytest.param(name, id=pytest.HIDDEN_PARAM)
            metafunc.parametrize("_shared_rows", [hidden], indirect=True, scope="module")


@pytest.fixture(scope="module", autouse=True)
def _shared_rows(request: pytest.FixtureRequest) -> Iterator[Any]:
    """Build what the next tests start from; roll it back before a test that starts elsewhere."""
    from tests.builders.tables.shared import built

    if not hasattr(request, "param"):
        yield None
        return
    request.getfixturevalue("django_db_setup")
    with (
        request.getfixturevalue("django_db_blocker").unblock(),
        built(request.node.module.__name__, request.param) as rows,
    ):
        yield rows


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


RUNNING_SITE = ExitStack()


@pytest.fixture(scope="session")
def site() -> Site:
    """Start the demo once, with bots that think fast, on a data directory of its own."""
    directory = tempfile.TemporaryDirectory(prefix="rummy-site-", dir=PUBLIC_TEMP)
    data = Path(RUNNING_SITE.enter_context(directory))
    lay_migrated(data)
    push = {"PUSH_PRIVATE_KEY": PUSH_KEY, "PUSH_CONTACT": "mailto:operator@example.com"}
    demo = RunningDemo(data, BOT_THINK_SECONDS="0.1", **push)
    RUNNING_SITE.callback(demo.stop)
    return Site(
        url=demo.url,
        player=Login("asha@example.com", demo.password),
        staff=Login("admin@example.com", demo.password),
        servers=data / "servers.json",
    )


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(nextitem: pytest.Item | None) -> None:
    """Stop the site after the last test that opens it: its workers take time from the others."""
    if nextitem is None or not _opens_the_site(nextitem):
        RUNNING_SITE.close()
