"""How fast the lobby and the card table paint, how heavy they are, and whether anything jumps.

Needs Chromium. Starts the site as `make demo` does, with bots that think for a tenth of a second,
and opens each page `LOOKS` times with an empty cache on a phone's window.
"""

from __future__ import annotations

import gzip
import os
import statistics
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect, sync_playwright

from tests.browser.chromium import ARGUMENTS, CHROMIUM
from tests.builders.processes.product import PUBLIC_TEMP, RunningDemo

LOOKS = 7
PHONE = {"width": 390, "height": 844}
WATCH = """
  window.shifts = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifts += entry.value;
  }).observe({ type: "layout-shift", buffered: true });
"""
PAINTED = """() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? null"""
FRAMES = """() => new Promise((resolve) => {
  const spans = [];
  let last = performance.now();
  const tick = (now) => {
    spans.push(now - last);
    last = now;
    if (spans.length < 90) requestAnimationFrame(tick);
    else resolve(spans.slice(1));
  };
  requestAnimationFrame(tick);
})"""


def look_at(context: Any, address: str, ready: str) -> dict[str, float]:
    """Open the page anew and return its figures: milliseconds, bytes, and the sum of its shifts."""
    page = context.new_page()
    session = context.new_cdp_session(page)
    session.send("Network.setCacheDisabled", {"cacheDisabled": True})
    page.add_init_script(WATCH)
    bodies: list[int] = []
    page.on("response", lambda answer: bodies.append(len(gzip.compress(answer.body(), 6))))
    page.goto(address)
    expect(page.locator(ready).first).to_be_visible(timeout=60_000)
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(300)
    figures = {
        "paint": page.evaluate(PAINTED),
        "bytes": sum(bodies),
        "shifts": page.evaluate("window.shifts"),
    }
    page.close()
    return figures


def report(name: str, looks: list[dict[str, float]]) -> None:
    paints = sorted(look["paint"] for look in looks)
    heaviest = max(look["bytes"] for look in looks)
    shifts = max(look["shifts"] for look in looks)
    print(
        f"{name:<8} first paint {statistics.median(paints):4.0f} ms (worst {paints[-1]:.0f}),"
        f" {heaviest / 1000:.0f} KB gzipped, layout shift {shifts:.3f}"
    )


def drag(page: Page) -> None:
    """Drag a card about for a second and a half and print how long the frames took."""
    card = page.locator("#hand .card").first
    box: Any = card.bounding_box()
    page.evaluate("window.shifts = 0")
    page.mouse.move(box["x"] + 8, box["y"] + 8)
    page.mouse.down()
    page.mouse.move(box["x"] + 40, box["y"] - 20)
    page.evaluate(f"window.frames_seen = ({FRAMES})()")
    for step in range(120):
        page.mouse.move(box["x"] + 40 + step, box["y"] - 20 - step % 40)
    spans = page.evaluate("window.frames_seen")
    page.mouse.up()
    slow = sum(span > 1000 / 60 * 1.5 for span in spans)
    print(
        f"drag     {len(spans)} frames, median {statistics.median(spans):.1f} ms,"
        f" {slow} later than a frame and a half; layout shift {page.evaluate('window.shifts'):.3f}"
    )


def main() -> None:
    with (
        tempfile.TemporaryDirectory(prefix="rummy-bench-", dir=PUBLIC_TEMP) as data,
        sync_playwright() as playwright,
    ):
        demo = RunningDemo(Path(data), BOT_THINK_SECONDS="0.1")
        browser: Any = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        try:
            context = browser.new_context(base_url=demo.url, viewport=PHONE)
            page = context.new_page()
            page.add_init_script(WATCH)
            page.goto("/")
            page.get_by_role("button", name="Play now").click()
            expect(page.locator("#stock")).to_be_enabled(timeout=60_000)
            table = page.url
            print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
            report("lobby", [look_at(context, "/lobby/", "#lobby-rows") for _ in range(LOOKS)])
            report("table", [look_at(context, table, "#hand .card") for _ in range(LOOKS)])
            drag(page)
        finally:
            browser.close()
            demo.stop()


if __name__ == "__main__":
    main()
