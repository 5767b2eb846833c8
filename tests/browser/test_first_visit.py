"""From the landing page to a practice hand in three clicks, and the lobby's filter."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.chromium import LANGUAGES
from tests.browser.person import deal_on, own_cards, read_in, wait_for_my_turn
from tests.browser.table_boxes import SIZES, resize

UNDER_THE_COACH = """() => {
  const coach = document.getElementById("coach").getBoundingClientRect();
  return [...document.querySelectorAll("#seats .seat > *, #centre .stack, #log")]
    .filter((part) => part.checkVisibility() && part.textContent)
    .filter((part) => {
      const box = part.getBoundingClientRect();
      const isBeside = box.right <= coach.left || box.left >= coach.right;
      return !isBeside && box.top < coach.bottom && box.bottom > coach.top;
    })
    .map((part) => part.className);
}"""

# The next action, shown in the turn bar.
IS_CUT = """() => {
  const [words, bar] = ["#turn .say", "#turn"]
    .map((each) => document.querySelector(each).getBoundingClientRect());
  return words.top < bar.top || words.bottom > bar.bottom;
}"""

pytestmark = pytest.mark.browser


@pytest.mark.extended
def test_new_visitor_discards_after_at_most_three_clicks(page: Page) -> None:
    page.goto("/")
    page.get_by_role("button", name="Play now").click()  # The first.

    expect(page.locator("#table")).to_be_visible()
    wait_for_my_turn(page)
    expect(own_cards(page)).to_have_count(13)
    expect(page.locator("#coach")).to_contain_text("tap the stock")
    expect(page.locator("#seconds")).to_be_empty()  # The first deal has no clock.
    page.locator("#stock").click()  # The second: it draws.
    expect(own_cards(page)).to_have_count(14)
    expect(page.locator("#coach")).to_contain_text("then Group")


@pytest.mark.extended
@pytest.mark.parametrize("language", LANGUAGES)
def test_four_tips_of_a_first_game_cover_no_seat_or_pile(
    page: Page, site: Any, language: str
) -> None:
    read_in(page, site, language)
    page.goto("/")
    page.locator("main form .button").first.click()

    wait_for_my_turn(page)
    see_the_mark_beside_the_rest(page, "#stock")
    page.locator("#stock").click()
    expect(own_cards(page)).to_have_count(14)
    see_the_mark_beside_the_rest(page, "#group")
    own_cards(page).last.click()
    see_the_mark_beside_the_rest(page, "#discard")
    page.locator("#discard").click()
    wait_for_my_turn(page)
    if deal_on(page) == 1:  # No bot has ended it meanwhile.
        see_the_mark_beside_the_rest(page, "#finish")


def see_the_mark_beside_the_rest(page: Page, target: str) -> None:
    expect(page.locator(f"{target}.is-coached")).to_be_attached()
    covered, cut = {}, []
    for width, height in SIZES:
        resize(page, width, height)
        covered[width, height] = page.evaluate(UNDER_THE_COACH)
        if page.evaluate(IS_CUT):
            cut.append((width, height))
    assert not any(covered.values()), covered
    assert cut == []


@pytest.mark.extended
def test_landing_page_works_by_keyboard_and_fits_a_small_phone(page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 640})
    page.goto("/")
    button = page.get_by_role("button", name="Play now")

    expect(button).to_be_in_viewport(ratio=1)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    button.focus()
    page.keyboard.press("Enter")

    expect(page.locator("#table")).to_be_visible()


@pytest.mark.extended
def test_lobby_filter_survives_refreshes(page: Page, site: Any) -> None:
    page.goto("/lobby/")
    page.get_by_role("link", name="Deals", exact=True).click()
    expect(page).to_have_url(re.compile(r"\?game=deals$"))

    with page.expect_response(re.compile(r"/lobby/\?game=deals$")):
        pass

    rows = page.locator("#lobby-kinds .table-row")
    expect(rows.first).to_contain_text("Deals")
    expect(rows.filter(has_text="Pool 101")).to_have_count(0)
