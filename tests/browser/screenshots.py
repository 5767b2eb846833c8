"""Take a picture of every page at every size the table must fit: `make screenshots`.

`python -m tests.browser.screenshots [directory] [name ...]` starts a site of its own; with names it
takes those pages alone. Two of the sizes are taken in the dark, too.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect, sync_playwright

from tests.browser import places
from tests.browser.chromium import ARGUMENTS, CHROMIUM
from tests.browser.person import wait_for_my_turn
from tests.browser.table_boxes import SIZES
from tests.builders.processes.product import CHECKOUT, PUBLIC_TEMP, RunningDemo

IN_THE_DARK = [(390, 844), (1366, 768)]


class Camera:
    """One browser that takes pictures in every theme and size."""

    def __init__(self, page: Page, directory: Path, wanted: Sequence[str]) -> None:
        self.page, self.directory, self.wanted = page, directory, wanted

    def visit(self, addresses: dict[str, str]) -> None:
        for name, address in addresses.items():
            if not self.wanted or name in self.wanted:
                self.page.goto(address)
                self.shoot(name)

    def shoot(self, name: str) -> None:
        """Take the present page; a theme is only an attribute of it."""
        if self.wanted and name not in self.wanted:
            return
        for width, height in SIZES:
            self.page.set_viewport_size({"width": width, "height": height})
            for theme in ("light", "dark") if (width, height) in IN_THE_DARK else ("light",):
                self.page.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
                path = self.directory / f"{name}-{width}x{height}-{theme}.png"
                self.page.screenshot(path=path, full_page=True, animations="disabled")


def a_players_pages(camera: Camera) -> None:
    page = camera.page
    page.goto("/")
    page.get_by_role("button", name="Play now").click()
    wait_for_my_turn(page)
    camera.shoot("table")
    page.locator("#stock").click()
    expect(page.locator("#hand .card")).to_have_count(14)
    page.locator("#hand .card").last.click()
    page.locator("#finish").click()
    camera.shoot("table-asking")
    page.get_by_role("button", name="Go back").click()
    page.locator("#pile-history").click()
    camera.shoot("table-open-pile")
    page.get_by_role("button", name="Close").click()
    page.locator("#discard").click()
    places.drop_a_deal(page)
    camera.shoot("table-after-a-deal")
    camera.visit(places.of_a_played_deal(page))
    camera.visit(places.OWN | dict(places.led_to(page)))
    for name in ("straight", "points", "best of 3"):
        page.goto("/lobby/")
        row = page.locator(".table-row.of-bots", has_text=f"Practice {name}").last
        row.locator("form .button").evaluate(
            "button => button.click()"
        )  # Hidden on phones at first.
        wait_for_my_turn(page)
        camera.shoot(f"table-{name.replace(' ', '-')}")


def main(directory: Path, wanted: Sequence[str]) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory(prefix="rummy-pictures-", dir=PUBLIC_TEMP) as data,
        sync_playwright() as playwright,
    ):
        demo = RunningDemo(Path(data), BOT_THINK_SECONDS="0.1")
        browser: Any = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        try:
            for take in (lambda camera: camera.visit(places.PUBLIC), a_players_pages):
                page = browser.new_context(base_url=demo.url, reduced_motion="reduce").new_page()
                take(Camera(page, directory, wanted))
        finally:
            browser.close()
            demo.stop()
    shots = len(list(directory.glob("*.png")))
    sys.stdout.write(f"{shots} pictures in {directory}\n")


if __name__ == "__main__":
    where, *names = [*sys.argv[1:], str(CHECKOUT / "screenshots")][: len(sys.argv[1:]) or 1]
    main(Path(where), names)
