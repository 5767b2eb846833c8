"""A player at a points table: sits in, plays a deal, tops up, sits out and leaves."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.person import PATIENCE_MS, drop, sign_up, wait_for_my_turn

pytestmark = pytest.mark.browser


def money_in(text: str) -> float:
    found = re.search(r"(-?[\d,]+(?:\.\d\d)?) PTS", text)
    assert found, text
    return float(found[1].replace(",", ""))


def points(amount: float) -> str:
    """Return play points as pages show them: with decimals only where they are not whole."""
    return f"{amount:.2f} PTS".replace(".00", "")


@pytest.mark.soak
def test_points_deal_settles_at_once_and_leaving_pays_out_the_stack(page: Page) -> None:
    sign_up(page)
    page.set_viewport_size({"width": 1280, "height": 800})  # A phone's row sits in with the least.
    row = page.locator(".table-row", has_text="Practice points").last
    expect(row).to_contain_text("0.50 PTS")
    stack = row.get_by_label("Stack, 40 PTS to 400 PTS")
    expect(stack).to_have_value("40.00")
    stack.fill("60")
    row.get_by_role("button", name="Sit in").click()
    page.set_viewport_size({"width": 390, "height": 844})

    expect(page.locator("#stack-text")).to_contain_text("60 PTS", timeout=PATIENCE_MS)
    wait_for_my_turn(page)
    before = money_in(page.locator("#stack-text").inner_text())  # A bot may have dropped already.
    assert drop(page) == 20

    stack = page.locator("#stack-text")
    expect(stack).to_contain_text(points(before - 10), timeout=PATIENCE_MS)
    page.get_by_role("button", name="Sit out").click()
    expect(page.get_by_role("button", name="Come back")).to_be_visible()
    expect(page.locator("#top-up")).to_be_visible(timeout=PATIENCE_MS)
    after = money_in(stack.inner_text())  # The next deal may have begun before.
    page.locator("#top-up").click()
    page.get_by_label("Amount").fill("25.50")
    page.locator("#ask").get_by_role("button", name="Top up").click()
    expect(stack).to_contain_text(points(after + 25.5))

    page.locator("#menu-button").click()
    page.get_by_role("button", name="Leave the table").click()
    page.locator("#ask").get_by_role("button", name="Leave").click()
    expect(page.get_by_role("heading", name="Lobby")).to_be_visible()
    page.goto("/history/")
    game = page.locator(".table-row", has_text="Practice points")
    expect(game).to_contain_text("Won and lost")
    assert money_in(game.locator("dd").last.inner_text()) == after - 60
    game.get_by_role("link", name="Score sheet").click()
    expect(page.locator(".figures.sheet")).to_contain_text("-10 PTS")
