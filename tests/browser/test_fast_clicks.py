"""Clicks during a page update are not lost: htmx swaps and pushed views."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.person import PATIENCE_MS, sign_up

pytestmark = [pytest.mark.browser, pytest.mark.extended, pytest.mark.timeout(240)]


def point_at(control: Locator) -> tuple[float, float]:
    """Return the middle of a control in view; a mouse does not wait like a locator."""
    control.scroll_into_view_if_needed()
    box: Any = control.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_button_pressed_during_an_htmx_swap_works(page: Page) -> None:
    sign_up(page)
    join = page.locator(".table-row", has_text="Practice duel").last.get_by_role("button")
    page.mouse.move(*point_at(join))
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
    page.get_by_role("button", name="Open the table").click()
    invitation = page.url
    with page.expect_websocket() as opened:
        page.get_by_role("button", name="Sit down").click()
    invite = page.locator("#stage").get_by_role("link", name="Invite players")
    expect(invite).to_be_visible(timeout=PATIENCE_MS)
    page.mouse.move(*point_at(invite))
    page.mouse.down()
    with opened.value.expect_event("framereceived"):
        page.evaluate("dispatchEvent(new Event('online'))")
    page.evaluate("new Promise(requestAnimationFrame)")
    page.mouse.up()

    expect(page).to_have_url(invitation)
