"""The sizes that a card table must fit, and its boxes that do not fit."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

from playwright.sync_api import Page
from playwright.sync_api import TimeoutError as TimedOut

SIZES = [
    (320, 568),
    (360, 740),
    (390, 844),
    (768, 1024),
    (740, 360),
    (844, 390),
    (1366, 768),
    (1920, 1080),
    (683, 384),
]
# The layout faults of the page, and the tappable width of each card.
FITS = """() => {
  const root = document.documentElement;
  return root.scrollWidth <= innerWidth && root.scrollHeight <= innerHeight;
}"""
MEASURE = (Path(__file__).parent / "measure_table.js").read_text()


def resize(page: Page, width: int, height: int) -> None:
    """Change the window's size and wait until the page has been drawn again."""
    page.set_viewport_size({"width": width, "height": height})
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def measure(page: Page, width: int, height: int) -> dict[str, Any]:
    resize(page, width, height)
    # The hand is drawn again for the new width; elements that scroll after that are reported.
    with suppress(TimedOut):
        page.wait_for_function(FITS, timeout=10_000)
    found: dict[str, Any] = page.evaluate(MEASURE)
    return found
