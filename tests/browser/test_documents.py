"""The documentation and the page of the API under axe-core, and the ways between them."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import complaints
from tests.builders.processes.product import CHECKOUT

pytestmark = [pytest.mark.browser, pytest.mark.extended]

PAGES = ("", "operators/withdrawals/", "hi/money/", "integrators/first-bot/", "accountants/month/")


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the built documentation, with the site's picture in its header."""
    root = tmp_path_factory.mktemp("pages")
    (root / "static").symlink_to(CHECKOUT / "static")
    subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", root / "docs"],
        cwd=CHECKOUT,
        check=True,
    )
    handler = partial(Quiet, directory=str(root))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/docs/"
        server.shutdown()


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None: ...  # noqa: A002


@pytest.fixture
def reader(chromium: Any) -> Iterator[Page]:
    context = chromium.new_context(reduced_motion="reduce", bypass_csp=True)
    yield context.new_page()
    context.close()


def test_documentation_passes_axe_and_leads_back_to_the_site(reader: Page, documents: str) -> None:
    found, themes = {}, ("light", "dark")
    for theme in themes:
        reader.emulate_media(color_scheme=theme)
        for address in PAGES:
            reader.goto(f"{documents}{address}")
            faults = complaints(reader, in_light=theme == "light", in_dark=theme == "dark")
            found[address, theme] = faults

    assert {page: faults for page, faults in found.items() if faults} == {}
    for name, target in (("Play", "/lobby/"), ("Staff", "/admin/")):
        link = reader.locator(".md-tabs").get_by_role("link", name=name, exact=True)
        expect(link).to_have_attribute("href", target)


def test_api_page_passes_axe_with_an_open_operation(reader: Page, site: Any) -> None:
    reader.goto(f"{site.url}/api/docs/")
    for kind in ("get", "post"):
        reader.locator(f".opblock-{kind} .opblock-summary-control").first.click()
    expect(reader.locator(".opblock-body").nth(1)).to_be_visible()

    assert complaints(reader, in_dark=False) == []
