"""How fast the lobby and the card table paint, how heavy they are, and whether anything jumps.

Further how long a first visit takes to the first own act, a slow line to a usable table, and how
many frames come late while a card flies, beside those of an empty page.

Needs Chromium. Starts the site as `make demo` does, with bots that think for a tenth of a second
and static files collected and compressed as a deployment has them, over HTTP/1.1;
opens each page `LOOKS` times with an empty cache on a phone's window.
"""

from __future__ import annotations

import gzip
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect, sync_playwright

from tests.browser.chromium import ARGUMENTS, CHROMIUM
from tests.builders.processes.product import CHECKOUT, PUBLIC_TEMP, RunningDemo, environment

LOOKS = 7
PHONE = {"width": 390, "height": 844}
WATCH = """
  window.shifts = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifts += entry.value;
  }).observe({ type: "layout-shift", buffered: true });
"""
# What Lighthouse calls slow 3G: bytes a second each way, and milliseconds there and back.
SLOW_3G = {
    "offline": False,
    "latency": 400,
    "downloadThroughput": 50_000,
    "uploadThroughput": 50_000,
}
LATE_MS = 1000 / 60 + 1  # A millisecond of jitter aside.
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
    """Load the page again; return its milliseconds, bytes, and the sum of its layout shifts."""
    page = context.new_page()
    session = context.new_cdp_session(page)
    session.send("Network.setCacheDisabled", {"cacheDisabled": True})
    page.add_init_script(WATCH)
    bodies: list[int] = []
    page.on("response", lambda answer: bodies.append(len(gzip.compress(answer.body(), 6))))
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.goto(address)
    expect(page.locator(ready).first).to_be_visible(timeout=60_000)
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(300)
    figures = {
        "paint": page.evaluate(PAINTED),
        "bytes": sum(bodies),
        "requests": len(requests),
        "shifts": page.evaluate("window.shifts"),
    }
    page.close()
    return figures


def report(name: str, looks: list[dict[str, float]]) -> None:
    paints = sorted(look["paint"] for look in looks)
    heaviest = max(look["bytes"] for look in looks)
    shifts = max(look["shifts"] for look in looks)
    requests = max(look["requests"] for look in looks)
    print(
        f"{name:<8} first paint {statistics.median(paints):4.0f} ms (worst {paints[-1]:.0f}),"
        f" {heaviest / 1000:.1f} KB gzipped in {requests:.0f} requests, layout shift {shifts:.3f}"
    )


def visit(page: Page) -> None:
    """Go from the landing page to a card drawn, as fast as the site allows."""
    began = time.perf_counter()
    page.goto("/")
    page.get_by_role("button", name="Play now").first.click()
    page.locator("#stock:enabled").click(timeout=60_000)
    expect(page.locator("#hand .card")).to_have_count(14)
    print(f"visit    first own act after {time.perf_counter() - began:.1f} s")


def fly(page: Page) -> None:
    """Discard a card and count the late frames of the animation and of an empty page."""
    page.locator("#hand .card").last.click()
    expect(page.locator("#discard:not(.is-resting)")).to_be_enabled()
    page.evaluate(f"window.frames_seen = ({FRAMES})()")
    page.locator("#discard").click()
    spans = page.evaluate("window.frames_seen")
    empty = page.context.new_page()
    empty.goto("about:blank")
    beside = empty.evaluate(FRAMES)
    empty.close()
    late, late_beside = (sum(span > LATE_MS for span in each) for each in (spans, beside))
    print(f"flight   {late} of {len(spans)} frames late, {late_beside} on an empty page")


def wait_on_a_slow_line(browser: Any, known: Any, site: str, address: str) -> None:
    """Open the table over slow 3G with an empty cache and print when it can be used.

    A page's worker would fetch past the brake.
    """
    state = known.storage_state()
    context = browser.new_context(
        base_url=site, viewport=PHONE, storage_state=state, service_workers="block"
    )
    page = context.new_page()
    session = context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.setCacheDisabled", {"cacheDisabled": True})
    session.send("Network.emulateNetworkConditions", SLOW_3G)
    began = time.perf_counter()
    page.goto(address, wait_until="commit", timeout=60_000)
    # Before its style has come the shell counts as visible; with cards in hand one can play.
    expect(page.locator("#table:not(.is-blank) #hand .card").first).to_be_visible(timeout=60_000)
    print(f"slow 3G  table usable after {time.perf_counter() - began:.1f} s")
    context.close()


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


def collect_static() -> None:
    """Collect and compress the static files; the demo serves their sources otherwise."""
    subprocess.run(
        [sys.executable, "manage.py", "collectstatic", "--noinput", "--verbosity", "0"],
        cwd=CHECKOUT,
        env=environment(SERVES_SOURCES="0", RUMMY_EPHEMERAL="1"),
        check=True,
    )


def main() -> None:
    with (
        tempfile.TemporaryDirectory(prefix="rummy-bench-", dir=PUBLIC_TEMP) as data,
        sync_playwright() as playwright,
    ):
        collect_static()
        demo = RunningDemo(Path(data), BOT_THINK_SECONDS="0.1", SERVES_SOURCES="0")
        browser: Any = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        try:
            context = browser.new_context(base_url=demo.url, viewport=PHONE)
            page = context.new_page()
            page.add_init_script(WATCH)
            print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
            visit(page)
            table = page.url
            report("lobby", [look_at(context, "/lobby/", "#lobby-rows") for _ in range(LOOKS)])
            report("table", [look_at(context, table, "#hand .card") for _ in range(LOOKS)])
            fly(page)
            drag(page)  # Last: where the card is dropped on the open pile, it is thrown.
            wait_on_a_slow_line(browser, context, demo.url, table)
        finally:
            browser.close()
            demo.stop()


if __name__ == "__main__":
    main()
