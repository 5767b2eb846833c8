"""The lobby on a phone: two screens at most, one's own games first, all tables when asked for."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.person import sign_up, sit_down_at_practice

pytestmark = [pytest.mark.browser, pytest.mark.extended, pytest.mark.timeout(120)]

SCREENS = "document.documentElement.scrollHeight / innerHeight"
ROW_PX = 72
CUT_WITHOUT_TITLE = """() => [...document.querySelectorAll("body *")]
  .filter((each) => getComputedStyle(each).textOverflow === "ellipsis")
  .filter((each) => each.scrollWidth > each.clientWidth && !each.closest("[title]"))
  .map((each) => each.textContent.trim())"""
SMALL = {"width": 320, "height": 568}


@pytest.mark.parametrize("language", ["en", "hi"])
def test_it_has_two_screens_with_ones_own_games_first(page: Page, language: str) -> None:
    sign_up(page)
    sit_down_at_practice(page)
    page.context.add_cookies([{"name": "django_language", "value": language, "url": page.url}])
    page.goto("/lobby/")

    rows = page.locator("#lobby-rows .table-row:visible")
    assert page.evaluate(SCREENS) <= 2
    assert "mine" in (rows.first.get_attribute("class") or "")
    heights = rows.evaluate_all("rows => rows.map(row => row.offsetHeight)")
    assert max(heights) <= ROW_PX
    # Tables with bots do not push those of people away.
    expect(page.locator(".of-people:visible")).to_have_count(5)

    page.locator("#all-tables").focus()
    page.keyboard.press("Space")
    with page.expect_response("**/lobby/"):
        pass  # It outlasts the rows' replacing themselves.
    expect(page.locator(".open-tables > li:not(:visible)")).to_have_count(0)


@pytest.mark.parametrize("language", ["en", "hi"])
def test_a_small_phone_has_two_screens_and_titles_of_all_that_is_cut(
    page: Page, language: str
) -> None:
    page.set_viewport_size(SMALL)  # type: ignore[arg-type]
    sign_up(page)
    sit_down_at_practice(page)
    page.context.add_cookies([{"name": "django_language", "value": language, "url": page.url}])
    page.goto("/lobby/")
    assert page.evaluate(SCREENS) <= 2
    assert page.locator(".of-people:visible").count() == 2

    for address in ("/lobby/", "/tournaments/", "/history/", "/wallet/", "/account/"):
        page.goto(address)
        assert page.evaluate(CUT_WITHOUT_TITLE) == [], address
