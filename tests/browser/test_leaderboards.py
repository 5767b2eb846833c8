"""Leaderboards on a phone: the own place, a day, hiding oneself, and a series of tournaments."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import complaints
from tests.browser.beside import run_beside
from tests.browser.chromium import LANGUAGES
from tests.browser.person import read_in, sign_up

pytestmark = [pytest.mark.browser, pytest.mark.extended, pytest.mark.timeout(120)]

TEXTS = {
    "en": {
        "open": "Leaderboards",
        "me": "You: place 2 of 3, 132 points",
        "day": "Day",
        "hide": "Hide me from leaderboards",
        "hidden": "only you can see this",
        "show": "Show me on leaderboards",
        "series": "Tournaments of the series",
    },
    "hi": {
        "open": "लीडरबोर्ड",
        "me": "आप: 3 में से स्थान 2, 132 पॉइंट",
        "day": "दिन",
        "hide": "मुझे लीडरबोर्ड से छिपाएँ",
        "hidden": "यह केवल आपको दिखता है",
        "show": "मुझे लीडरबोर्ड पर दिखाएँ",
        "series": "इस सीरीज़ के टूर्नामेंट",
    },
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_player_finds_their_place_and_hides_it(page: Page, site: Any, language: str) -> None:
    text = TEXTS[language]
    page.set_viewport_size({"width": 390, "height": 844})
    handle = sign_up(page)
    address = run_beside(site, "tests.browser.prepared_season", handle, f"Season {language}")
    read_in(page, site, language)

    page.goto("/tournaments/")
    page.get_by_role("link", name=text["open"]).click()
    expect(page).to_have_url(f"{site.url}{address}")
    rows = page.locator("table.standings tbody tr")
    expect(rows).to_have_count(3)
    expect(page.locator("tr.mine")).to_contain_text(handle)
    expect(page.locator("#standings [role=status]")).to_contain_text(text["me"])
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert complaints(page) == []

    page.get_by_role("link", name=text["day"], exact=True).click()
    expect(rows).to_have_count(3)

    page.get_by_role("button", name=text["hide"]).click()
    page.goto(address)
    expect(page.locator("#standings [role=status]")).to_contain_text(text["hidden"])
    expect(rows).to_have_count(2)
    page.get_by_role("button", name=text["show"]).click()
    page.goto(address)
    expect(rows).to_have_count(3)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_tournament_leads_to_its_series_and_back(page: Page, site: Any, language: str) -> None:
    text, cup = TEXTS[language], f"Cup {language}"
    page.set_viewport_size({"width": 390, "height": 844})
    handle = sign_up(page)
    name = f"Series of {handle}"
    address = run_beside(site, "tests.browser.prepared_season", handle, name, cup)
    read_in(page, site, language)

    page.goto(address)
    page.get_by_role("link", name=name).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(name)
    expect(page.locator("#standings [role=status]")).to_contain_text(text["me"])
    expect(page.locator("table.standings tbody tr")).to_have_count(3)
    listed = page.get_by_role("region", name=text["series"]).get_by_role("link", name=cup)
    expect(listed).to_have_attribute("href", address)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert complaints(page) == []

    listed.click()
    expect(page).to_have_url(f"{site.url}{address}")
