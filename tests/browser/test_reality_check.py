"""The reality check at a table shows wins and losses, but not during a decision."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.beside import run_beside
from tests.browser.person import (
    PATIENCE_MS,
    drop,
    prepared_pool,
    sign_up,
    wait_for_my_turn,
)

pytestmark = [pytest.mark.browser, pytest.mark.extended]

COVERED = """() => {
  const box = document.getElementById("reality").getBoundingClientRect();
  const meets = ({ x, y, width, height }) => width && height
    && x < box.right && x + width > box.x && y < box.bottom && y + height > box.y;
  const cards = "#hand .card, #centre .card, #actions button, #prompt button";
  const others = document.querySelectorAll(cards);
  return [...others]
    .filter((each) => meets(each.getBoundingClientRect())).map((each) => each.id || each.className);
}"""


@pytest.mark.soak
def test_reality_check_shows_wins_and_losses_and_covers_no_decision(page: Page, site: Any) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    handle = sign_up(page)
    address = prepared_pool(site, "six", handle)
    run_beside(site, "tests.browser.prepared_sign_in", handle, str(15 * 60 - 15))
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/reality*.js", hold)
    checks: list[str] = []
    page.on("response", lambda answer: checks.append(answer.url))
    page.goto(address)
    notice = page.locator("#reality")
    # The first decision may begin before the reminder's script is loaded.
    expect(page.locator("#stock:enabled, #send:visible")).to_be_visible(timeout=PATIENCE_MS)
    while not held:
        page.wait_for_timeout(50)
    (asked,) = held
    asked.continue_()
    wait_for_my_turn(page)
    while sum("reality-check" in url for url in checks) < 2:  # On arrival, and when it is due.
        page.wait_for_timeout(100)
    expect(notice).to_be_hidden()  # A decision is the player's.

    drop(page)

    expect(notice).to_be_visible(timeout=PATIENCE_MS)
    expect(notice).to_contain_text("You signed in 15 minutes ago.")
    expect(notice).to_contain_text("Put into games: 100 PTS.")
    assert page.evaluate(COVERED) == []
    notice.get_by_role("button", name="Continue").click()
    expect(notice).to_be_hidden()
