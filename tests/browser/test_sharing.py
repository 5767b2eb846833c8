"""On a phone: a spectator replays the last deal, and a visitor opens the link of a shared deal."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import complaints
from tests.browser.chromium import needs_hindi
from tests.browser.person import (
    deal_on,
    drop,
    follow,
    read_in,
    see_it_scored,
    sign_up,
    sit_down_at_practice,
    wait_for_my_turn,
)

pytestmark = [pytest.mark.browser, pytest.mark.extended]

PHONE = {"width": 390, "height": 844}
TEXTS = {
    "en": ("You are watching", "Create the public link", "Player 1", "Withdraw the link"),
    "hi": ("आप देख रहे हैं", "सार्वजनिक लिंक बनाएँ", "खिलाड़ी 1", "लिंक वापस लें"),
}


def fits(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))


@pytest.mark.parametrize("language", ["en", pytest.param("hi", marks=needs_hindi)])
def test_deal_is_watched_shared_and_withdrawn(
    page: Page, other_page: Page, site: Any, language: str
) -> None:
    watching, create, pseudonym, withdraw = TEXTS[language]
    visitor = other_page
    visitor.set_viewport_size(PHONE)
    visitor.emulate_media(reduced_motion="reduce")
    handle = sign_up(page)
    sit_down_at_practice(page)
    table = page.url
    wait_for_my_turn(page)
    number = deal_on(page)
    drop(page)
    replay = see_it_scored(page, number)
    for each in (page, visitor):
        read_in(each, site, language)

    visitor.goto(table)
    link = visitor.locator("#watch-replay")
    expect(link).to_be_visible()
    visitor.locator("#menu-button").click()
    visitor.locator("#watch-box summary").click()
    expect(visitor.locator("#watch-text")).not_to_be_empty()
    visitor.locator("#menu .close").click()
    expect(visitor.locator("#stage")).to_contain_text(watching)
    expect(visitor.locator("#hand .card")).to_have_count(0)
    visitor.goto(link.get_attribute("href") or "")
    expect(visitor.locator("#hands .card").first).to_be_visible()
    expect(visitor.locator("#hands")).to_contain_text(handle)

    page.goto(replay)
    page.locator("#share-deal").click()
    follow(page.get_by_role("button", name=create))
    expect(page.locator("img.preview")).to_be_visible()
    address = page.locator("#link").input_value()
    assert fits(page)
    assert complaints(page) == []
    visitor.goto(address)
    expect(visitor.locator("#hands")).to_contain_text(pseudonym)
    assert handle not in visitor.content()
    visitor.keyboard.press("ArrowRight")
    expect(visitor.locator("#where")).to_contain_text("1 /")
    expect(visitor).to_have_url(f"{address}1/")
    assert fits(visitor)
    assert complaints(visitor) == []

    page.goto("/account/shared-deals/")
    # The link is beside the button that withdraws it, on phones too.
    page.locator(f".table-row a[href='{address.removeprefix(site.url)}']").click()
    expect(page).to_have_url(address)
    page.goto("/account/shared-deals/")
    follow(page.get_by_role("button", name=withdraw))
    expect(page.locator(".table-row")).to_have_count(0)
    answer = visitor.goto(address)
    assert answer is not None
    assert answer.status == 404
