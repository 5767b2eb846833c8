"""Fixtures of a real Chromium."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.browser.chromium import ARGUMENTS, CHROMIUM, WHOLE_CHROMIUM

# What a page shows may take so long on a busy machine, and a test of many pages.
PATIENCE_MS = 30_000
TEST_SECONDS = 900


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    missing = pytest.mark.skip(reason="no chromium on this machine (apt install chromium)")
    for item in items:
        if not item.get_closest_marker("browser"):
            continue
        if CHROMIUM is None:
            item.add_marker(missing)
        if not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(TEST_SECONDS))


class Browser:
    """One Chromium for all browser tests, closed before the first other test.

    Its loop must not run on under tests that ask the database: Django refuses them then.
    """

    playwright: Any = None
    browser: Any = None
    is_wanted_next = False

    def open(self) -> Any:
        from playwright.sync_api import expect, sync_playwright

        expect.set_options(timeout=PATIENCE_MS)
        if self.browser is None:
            self.playwright = sync_playwright().start()
            self.browser = self.playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        return self.browser

    def close(self) -> None:
        if self.browser is not None:
            self.browser.close()
            self.playwright.stop()
        self.browser = self.playwright = None


BROWSER = Browser()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    BROWSER.is_wanted_next = bool(nextitem and nextitem.get_closest_marker("browser"))


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    yield BROWSER.open()
    if not BROWSER.is_wanted_next:
        BROWSER.close()


@pytest.fixture(scope="module")
def whole_chromium(chromium: Any) -> Iterator[Any]:
    """Chromium and not its shell, which shows no notifications."""
    whole = BROWSER.playwright.chromium.launch(executable_path=WHOLE_CHROMIUM, args=ARGUMENTS)
    yield whole
    whole.close()


@pytest.fixture
def page(chromium: Any, site: Any) -> Iterator[Any]:
    """A page in a phone's window; CSP violations and script errors fail the test.

    Without motion, which takes most of a processor where no graphics card draws it; a test that is
    about motion asks for it (`emulate_media`).
    """
    context = chromium.new_context(
        base_url=site.url,
        viewport={"width": 390, "height": 844},
        service_workers="block",
        reduced_motion="reduce",
    )
    page = context.new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on(
        "console",
        lambda said: (
            complaints.append(said.text) if "Content Security Policy" in said.text else None
        ),
    )
    yield page
    context.close()
    assert complaints == []


@pytest.fixture
def other_page(chromium: Any, site: Any) -> Iterator[Any]:
    """A second player's page, in a desktop's window."""
    context = chromium.new_context(base_url=site.url, viewport={"width": 1280, "height": 800})
    yield context.new_page()
    context.close()
