"""Two players in two browsers at one private table; one loses the connection."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.person import PATIENCE_MS, own_cards, sign_up

pytestmark = pytest.mark.browser


def open_private_duel(page: Page) -> str:
    """Open a table for two, sit down at it, and return its link."""
    page.get_by_text("Open a private table").click()
    kinds = page.get_by_label("Kind of table")
    duel = kinds.get_by_role("option").filter(has_text="Duel 101 for play points")
    kinds.select_option(duel.get_attribute("value"))
    page.get_by_role("button", name="Open the table").click()
    link = page.get_by_label("Link to share").input_value()
    page.get_by_role("button", name="Sit down").click()
    expect(page.locator("#table")).to_be_visible()
    return link


def on_turn(first: Page, second: Page) -> tuple[Page, Page]:
    """Return the page whose turn it is, and the other."""
    acting = first.locator("#turn.is-mine, #seats .seat.to-act").first
    expect(acting).to_be_visible(timeout=PATIENCE_MS)
    is_first = acting.get_attribute("id") == "turn"
    return (first, second) if is_first else (second, first)


@pytest.mark.extended
def test_moves_reach_the_other_player_even_after_a_lost_connection(
    page: Page, other_page: Page
) -> None:
    lines: list[Any] = []

    def connect(ws: Any) -> None:
        if lines and lines[0] == "cut":
            ws.close()
            return
        ws.connect_to_server()
        lines.append(ws)

    other_page.route_web_socket(re.compile("/ws/"), connect)
    sign_up(page)
    sign_up(other_page)
    other_page.goto(open_private_duel(page))
    other_page.get_by_role("button", name="Sit down").click()

    acting, waiting = on_turn(page, other_page)
    expect(waiting.locator("#say")).to_contain_text("is playing")
    acting.locator("#stock").click()
    expect(own_cards(acting)).to_have_count(14)
    thrown = own_cards(acting).last.get_attribute("aria-label") or ""
    own_cards(acting).last.click()
    acting.locator("#discard").click()

    # The other sees that card and nothing of the hand it came from.
    expect(waiting.locator("#open .card:not(.under)")).to_have_attribute("aria-label", thrown)
    expect(waiting.locator("#stock")).to_be_enabled()
    expect(own_cards(waiting)).to_have_count(13)

    # One connection is lost during the deal; both continue, and it reconnects by itself.
    for ws in lines:
        ws.close()
    lines.insert(0, "cut")
    expect(other_page.locator("#banner")).to_be_visible()
    lines.clear()
    waiting.locator("#stock").click()
    expect(own_cards(waiting)).to_have_count(14)
    own_cards(waiting).last.click()
    waiting.locator("#discard").click()
    expect(acting.locator("#stock")).to_be_enabled()
    expect(other_page.locator("#banner")).to_be_hidden(timeout=PATIENCE_MS)
