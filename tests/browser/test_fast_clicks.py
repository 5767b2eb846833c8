"""Clicks during a page update are not lost: htmx swaps and pushed views."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.person import PATIENCE_MS, follow, sign_up

pytestmark = [pytest.mark.browser, pytest.mark.extended]


def test_button_pressed_during_an_htmx_swap_works(page: Page) -> None:
    sign_up(page)
    page.locator(".table-row", has_text="Practice duel").last.get_by_role("button").hover()
    page.mouse.down()
    with page.expect_response(re.compile(r"/lobby/$")) as renewal:
        pass
    renewal.value.finished()
    page.evaluate("new Promise(requestAnimationFrame)")
    page.mouse.up()

    expect(page.locator("#table")).to_be_visible(timeout=PATIENCE_MS)


def test_link_pressed_while_the_table_is_redrawn_is_followed(page: Page) -> None:
    sign_up(page)
    page.get_by_text("Open a private table").click()
    follow(page.get_by_role("button", name="Open the table"))
    invitation = page.url
    with page.expect_websocket() as opened:
        page.get_by_role("button", name="Sit down").click()
    page.locator("#stage").get_by_role("link", name="Invite players").hover(timeout=PATIENCE_MS)
    page.mouse.down()
    with opened.value.expect_event("framereceived"):
        page.evaluate("dispatchEvent(new Event('online'))")
    page.evaluate("new Promise(requestAnimationFrame)")
    page.mouse.up()

    expect(page).to_have_url(invitation)
