"""A points race on a phone: the page of the race, and the next table after a drop (RB 10.10)."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import complaints
from tests.browser.person import PATIENCE_MS, sign_up, wait_for_my_turn

pytestmark = [pytest.mark.browser, pytest.mark.extended]
TABLE = re.compile(r"/tables/[0-9a-f-]{36}/$")


def test_drop_in_a_race_leads_to_the_next_table(page: Page, site: Any) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    sign_up(page)
    page.goto("/tournaments/?kind=race")
    page.locator(".tournament-row").first.get_by_role("link").click()
    expect(page.get_by_text("Deals in progress at the end are finished and count.")).to_be_visible()
    assert complaints(page) == []

    page.get_by_role("button", name="Register for").click()
    page.wait_for_url(TABLE, timeout=3 * PATIENCE_MS)
    first = page.url
    wait_for_my_turn(page)
    page.locator("#drop").click()
    page.locator("#ask-yes").click()

    page.wait_for_url(lambda url: bool(TABLE.search(url)) and url != first, timeout=3 * PATIENCE_MS)
