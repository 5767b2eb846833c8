"""People met at a table: reported and blocked from it, muted, and invited by name; on a phone."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import complaints
from tests.browser.chromium import LANGUAGES
from tests.browser.person import PATIENCE_MS, own_cards, prepared_pool, read_in, sign_up

pytestmark = [pytest.mark.browser, pytest.mark.extended]

WIDTH = 390


def looks_well(page: Page) -> None:
    assert page.evaluate("document.documentElement.scrollWidth") <= WIDTH
    assert complaints(page) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_player_of_a_game_is_reported_blocked_and_invited_again(
    page: Page, other_page: Page, site: Any, language: str
) -> None:
    handle, other = sign_up(page), sign_up(other_page)
    read_in(page, site, language)
    address = prepared_pool(site, "no-bots", handle, other)
    for person in (page, other_page):
        person.goto(address)
        expect(own_cards(person)).to_have_count(13, timeout=PATIENCE_MS)

    # Reported with the step, and blocked, without leaving the game for long.
    page.locator("#menu-button").click()
    page.locator("#report-link").click()
    expect(page.locator("select[name=handle]")).to_be_visible()
    looks_well(page)
    page.locator("select[name=handle]").select_option(other)
    page.locator("select[name=kind]").select_option("delay")
    page.locator("textarea[name=text]").fill("They let every clock run out.")
    page.locator("input[name=is_blocked]").check()
    page.locator("main form button[type=submit]").click()
    expect(page).to_have_url(re.compile(f"{address}$"))
    expect(own_cards(page)).to_have_count(13)

    # A phrase of the blocked player is not shown; they see the player's own as before.
    for person in (other_page, page):
        person.locator("#phrases-button").click()
        person.locator("[data-phrase=hello]").click()
        expect(person.locator("#my-seat .said")).to_be_visible()
    expect(other_page.locator(f"#seats [data-handle='{handle}'] .said")).to_be_visible()
    expect(page.locator(f"#seats [data-handle='{other}'] .said")).to_have_count(0)

    page.goto("/account/people/")
    expect(page.locator("[aria-labelledby=reports-title] li")).to_contain_text(other)
    blocked = page.locator("[aria-labelledby=blocked-title] li", has_text=other)
    expect(blocked).to_have_count(1)
    looks_well(page)
    blocked.get_by_role("button").click()
    expect(blocked).to_have_count(0)
    expect(page.locator("[aria-labelledby=met-title] li", has_text=other)).to_have_count(1)

    # Invited by name to a private table, and led there by the notification.
    page.goto("/private/")
    page.locator("main form button").last.click()
    page.wait_for_url("**/private/*/")
    looks_well(page)
    page.locator(".people li", has_text=other).get_by_role("button").click()
    expect(page.locator(".notes")).to_contain_text(other)
    other_page.goto("/account/notices/")
    notice = other_page.locator(".notifications li", has_text=f"{handle} invites you")
    notice.get_by_role("link").click()
    expect(other_page).to_have_url(page.url)
    expect(other_page.get_by_role("button", name="Sit down")).to_be_visible()
