"""A guest writes to support about their game, and reads the message in its conversation."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import complaints
from tests.browser.person import wait_for_my_turn

pytestmark = [pytest.mark.browser, pytest.mark.extended]


def test_guest_asks_about_a_game_and_finds_the_conversation(chromium: Any, site: Any) -> None:
    context = chromium.new_context(
        base_url=site.url,
        viewport={"width": 390, "height": 844},
        reduced_motion="reduce",
        bypass_csp=True,
    )
    page: Page = context.new_page()
    page.goto("/")
    page.get_by_role("button", name="Play now").click()
    wait_for_my_turn(page)

    page.goto("/wallet/statement/")
    expect(page.locator(".statement tbody tr").first).to_contain_text("In play")
    bad = complaints(page)
    page.goto("/help/")
    page.get_by_role("link", name="Write to us").click()
    page.get_by_label("Subject").fill("My first game")
    page.get_by_label("Your message").fill("How long may I think?")
    page.get_by_label("About a game or payment").select_option(index=1)
    bad += complaints(page)
    page.get_by_role("button", name="Send message").click()
    expect(page.get_by_text("Waiting for our answer")).to_be_visible()
    bad += complaints(page)
    page.get_by_role("link", name="My first game").click()
    expect(page.locator(".thread .own")).to_contain_text("How long may I think?")
    bad += complaints(page)
    page.get_by_label("Your message").press_sequentially("In seconds?")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")

    expect(page.locator(".thread .own")).to_have_count(2)
    assert bad == []
    context.close()
