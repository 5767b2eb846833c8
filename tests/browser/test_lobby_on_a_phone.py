"""The lobby on a phone: about two screens, own games first, all tables on request."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.chromium import LANGUAGES
from tests.browser.person import read_in, sign_up, sit_down_at_practice
from tests.browser.table_boxes import resize

pytestmark = [pytest.mark.browser, pytest.mark.extended]

SCREENS = "document.documentElement.scrollHeight / innerHeight"
# Games of others, if there are any, take up to a quarter of a screen.
SCREENS_MAX = 2.4
ROW_PX = 72
CUT_WITHOUT_TITLE = """() => [...document.querySelectorAll("body *")]
  .filter((each) => getComputedStyle(each).textOverflow === "ellipsis")
  .filter((each) => each.scrollWidth > each.clientWidth && !each.closest("[title]"))
  .map((each) => each.textContent.trim())"""
# The last is a laptop's window at 200 %.
SMALL = [(320, 568), (740, 360), (844, 390), (683, 384)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_lobby_takes_about_two_screens_with_own_games_first_and_titles_for_cut_names(
    page: Page, site: Any, language: str
) -> None:
    sign_up(page)
    sit_down_at_practice(page)
    read_in(page, site, language)
    page.goto("/lobby/")
    expect(page.locator("html")).to_have_attribute("lang", language)

    rows = page.locator(".table-row:visible")
    assert page.evaluate(SCREENS) <= SCREENS_MAX
    assert "mine" in (rows.first.get_attribute("class") or "")
    heights = rows.evaluate_all("rows => rows.map(row => row.offsetHeight)")
    assert max(heights) <= ROW_PX
    # Tables with bots do not push tables with people off the list.
    expect(page.locator(".of-people:visible")).to_have_count(5)

    page.locator("#all-tables").focus()
    page.keyboard.press("Space")
    with page.expect_response("**/lobby/"):
        pass  # It outlasts the rows' replacing themselves.
    expect(page.locator(".open-tables > li:not(:visible)")).to_have_count(0)

    page.goto("/lobby/")
    screens = {}
    for width, height in reversed(SMALL):
        resize(page, width, height)
        screens[width, height] = page.evaluate(SCREENS)
        expect(page.locator(".of-people:visible")).to_have_count(2)
    assert max(screens.values()) <= SCREENS_MAX, screens

    for address in ("/lobby/", "/tournaments/", "/history/", "/wallet/", "/account/"):
        page.goto(address)
        assert page.evaluate(CUT_WITHOUT_TITLE) == [], address
