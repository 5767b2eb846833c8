"""The sizes a card table must fit, and what of it does not."""

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
# What is wrong on the page as it stands, and how wide a strip of each card can be tapped.
FITS = """() => {
  const root = document.documentElement;
  return root.scrollWidth <= innerWidth && root.scrollHeight <= innerHeight;
}"""
MEASURE = (Path(__file__).parent / "measure_table.js").read_text()


def measure(page: Page, width: int, height: int) -> dict[str, Any]:
    page.set_viewport_size({"width": width, "height": height})
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    # The hand is laid anew for the new width; what scrolls after that is reported by its name.
    with suppress(TimedOut):
        page.wait_for_function(FITS, timeout=10_000)
    found: dict[str, Any] = page.evaluate(MEASURE)
    return found
