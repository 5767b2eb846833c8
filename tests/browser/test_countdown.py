"""The countdown to a start, by the server's time."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.person import PATIENCE_MS, follow

pytestmark = pytest.mark.browser

# A device whose clock is years behind; the page's monotonic clock is right.
WRONG_CLOCK = "Date.now = () => 946684800000;"
SHOWN_AND_TRUE = """timer => {
  const [, days, clock] = timer.textContent.match(/^in (?:(\\d+) d )?([\\d:]+)$/);
  const [hours, minutes, seconds] = clock.split(":").map(Number);
  const now = performance.timeOrigin + performance.now();
  const left = (Date.parse(timer.dataset.starts) - now) / 1000;
  return [Number(days || 0) * 86400 + hours * 3600 + minutes * 60 + seconds, left];
}"""


@pytest.mark.extended
def test_countdown_is_right_on_a_device_with_a_wrong_clock(page: Page) -> None:
    page.add_init_script(WRONG_CLOCK)
    page.goto("/tournaments/")
    timer = page.locator("[data-starts]").last  # The latest start, hours ahead at least.
    first = timer.text_content() or ""
    expect(timer).not_to_have_text(first, timeout=PATIENCE_MS)

    shown, true = timer.evaluate(SHOWN_AND_TRUE)

    assert abs(shown - true) < 120  # A busy machine may be slow; a wrong clock is years off.
    expect(timer).to_have_role("timer")


@pytest.mark.extended
def test_countdown_announces_the_last_minutes_but_not_seconds(page: Page) -> None:
    page.goto("/tournaments/")
    follow(page.locator("li", has=page.locator("[data-starts]")).last.locator("a.button"))
    timer, said = page.locator("[data-starts]"), page.locator("#countdown-live")
    expect(timer).not_to_have_text(timer.text_content() or "", timeout=PATIENCE_MS)
    expect(said).to_be_empty()

    timer.evaluate(
        """timer => {
          const other = timer.cloneNode();
          other.dataset.now = "2090-01-01T12:00:00Z";
          other.dataset.starts = "2090-01-01T12:01:00Z";
          timer.replaceWith(other);
          document.body.dispatchEvent(new Event("htmx:afterSwap"));
        }"""
    )

    expect(said).to_have_text("It starts in 1 minute.")
