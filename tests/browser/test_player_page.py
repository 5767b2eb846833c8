"""The page of a player after rated games, and quick seat, on a phone."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import complaints
from tests.browser.chromium import LANGUAGES
from tests.browser.person import prepared_pool, read_in, sign_up

pytestmark = [pytest.mark.browser, pytest.mark.extended]

WIDTH = 390


@pytest.mark.parametrize("language", LANGUAGES)
def test_profile_of_an_opponent_and_quick_seat(
    page: Page, other_page: Page, site: Any, language: str
) -> None:
    handle, other = sign_up(page), sign_up(other_page)
    read_in(page, site, language)
    for players in ((handle, other), (other, handle)):
        prepared_pool(site, "over", *players)

    def is_rated(address: str) -> bool:
        page.goto(address)
        return "±" in page.locator("main").inner_text() and page.locator("polyline").count() > 0

    # Games are rated by a worker some seconds after their end.
    for _ in range(30):
        if is_rated(f"/players/{other}/"):
            break
        page.wait_for_timeout(1_000)
    assert is_rated(f"/players/{other}/")
    assert page.evaluate("document.documentElement.scrollWidth") <= WIDTH
    assert complaints(page) == []
    expect(page.locator("[aria-labelledby=against-title] dd").first).to_have_text("2")
    page.locator("main form button").click()
    expect(page.locator(".notes")).to_contain_text(other)

    page.goto("/lobby/")
    page.locator("form[action$='/quick-seat/'] button").first.click()

    expect(page).to_have_url(re.compile(r"/tables/[0-9a-f-]{36}/$"))
    expect(page.locator("#table")).to_be_visible()
