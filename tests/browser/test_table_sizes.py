"""The card table at every supported size with six seats and fourteen cards, box by box."""

from __future__ import annotations

import re
import sys
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.person import (
    PATIENCE_MS,
    deal_on,
    is_scored,
    own_cards,
    prepared_pool,
    read_in,
    sign_up,
    sit_down_at_practice,
    wait_for_my_turn,
)
from tests.browser.table_boxes import SIZES, measure, resize

pytestmark = [pytest.mark.browser, pytest.mark.extended]

# The last but one is a window of 1366 x 768 at a zoom of 200 %.
TARGET_PX = 44
PLAIN_FONT_PX, LARGE_FONT_PX = 16, 21
ROUNDING_PX = 1.0

# Whether all six avatars are drawn and have a text.
PICTURES = """() => {
  const images = [...document.querySelectorAll("#seats .disc img, #my-seat .disc img")];
  return images.length === 6 && images.every((image) => image.naturalWidth > 0 && image.alt);
}"""

PLACES = """() => Object.fromEntries(
  [...document.querySelectorAll("#actions button, #centre .stack, #turn, #hand")]
    .map((each) => [each.id || each.parentNode.id, each.getBoundingClientRect()])
    .map(([id, { x, y, width, height }]) => [id, [x, y, width, height].map(Math.round)]))"""

# A possible show: four groups, no warning, no loose cards.
FOUR_GROUPS = """(body) => {
  body.querySelectorAll(".warn, .sent-loose").forEach((each) => each.remove());
  const groups = body.querySelector(".sent-groups");
  const group = groups.firstElementChild;
  [...group.querySelectorAll(".card")].slice(4).forEach((card) => card.remove());
  groups.replaceChildren(...[1, 2, 3, 4].map(() => group.cloneNode(true)));
}"""


def faults(page: Page, cards: int, what: str) -> dict[str, Any]:
    """Measure every size; print how wide the strips are."""
    bad = {}
    for width, height in SIZES:
        found = measure(page, width, height)
        size = f"{width}x{height} {what}"
        sys.stdout.write(f"{size}: {found['rows']} row(s), strips of {found['strip']:.1f} px\n")
        if found["wrong"] or found["cards"] != cards:
            bad[size] = found
    return bad


# A long toast that stays, and the notice of missed turns, in the page's language.
NOTES = [
    "You have just taken this card from the open pile: you cannot discard it in the same turn.",
    "The clock played %(count)s turn for you.",
    "After %(left)s more missed turn your cards are dropped.",
]
SHOW_NOTES = """async (notes) => {
  const { toast } = await import("/static/js/table/announce.js");
  const [long, ...missed] = notes.map((text) => gettext(text));
  const [toasts, away] = [document.getElementById("toasts"), document.getElementById("away")];
  toast(long);
  toasts.replaceChildren(toasts.firstChild.cloneNode(true));
  document.getElementById("away-text").textContent = missed.join(" ");
  away.hidden = false;
}"""


def read_larger(page: Page, pixels: int) -> None:
    """Set the browser's own font size, as its user would."""
    session = page.context.new_cdp_session(page)
    session.send("Page.setFontSizes", {"fontSizes": {"standard": pixels}})
    session.detach()


def test_six_seats_and_fourteen_cards_fit_every_window(page: Page, site: Any) -> None:
    handle = sign_up(page)
    page.goto(prepared_pool(site, "six", handle))
    wait_for_my_turn(page)
    assert faults(page, 13, "before the draw") == {}
    page.wait_for_function(PICTURES)

    # Nothing moves when a card is drawn or selected: it has a slot, and buttons have fixed places.
    resize(page, 360, 740)
    before = page.evaluate(PLACES)
    page.locator("#stock").click()
    expect(own_cards(page)).to_have_count(14)
    own_cards(page).first.click()
    expect(own_cards(page).first).to_have_attribute("aria-pressed", "true")
    assert page.evaluate(PLACES) == before
    own_cards(page).first.click()

    assert faults(page, 14, "with the drawn card") == {}
    assert measure(page, 844, 390)["strip"] >= TARGET_PX - ROUNDING_PX
    read_larger(page, LARGE_FONT_PX)
    assert faults(page, 14, "at 130 %") == {}
    read_larger(page, PLAIN_FONT_PX)
    read_in(page, site, "hi")
    page.reload()
    expect(page.locator("html")).to_have_attribute("lang", "hi")
    expect(own_cards(page)).to_have_count(14)
    expect(page.locator("#hand .is-drawn")).to_have_count(1)  # The mark outlasts a reload.
    assert faults(page, 14, "in Hindi") == {}
    page.evaluate(SHOW_NOTES, NOTES)
    for size in SIZES:
        assert not [line for line in measure(page, *size)["wrong"] if " covers a" in line], size


@pytest.mark.soak
def test_whole_game_by_touch_in_landscape(chromium: Any, site: Any) -> None:
    """Draw, discard by a double tap, drop every deal, and see the end without scrolling."""
    context = chromium.new_context(
        base_url=site.url, viewport={"width": 844, "height": 390}, has_touch=True, is_mobile=True
    )
    page = context.new_page()
    sign_up(page)
    row = page.locator(".table-row", has_text="Practice duel").last
    row.get_by_role("button", name=re.compile("Join for")).tap()
    wait_for_my_turn(page)
    page.locator("#stock").tap()
    expect(own_cards(page)).to_have_count(14)
    own_cards(page).last.dblclick()
    expect(own_cards(page)).to_have_count(13)
    podium = page.locator("#stage .podium > li")
    while podium.count() == 0:
        expect(page.locator("#stock:enabled").or_(podium.first)).to_be_visible(timeout=PATIENCE_MS)
        if podium.count() == 0:
            number = deal_on(page)
            page.locator("#drop").tap()
            page.locator("#ask-yes").tap()
            expect(is_scored(page, number)).to_be_attached(timeout=PATIENCE_MS)
    expect(podium.first).to_be_in_viewport(ratio=1)
    expect(podium.last).to_be_in_viewport(ratio=1)
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
    context.close()


def test_show_of_four_groups_fits_in_landscape(page: Page) -> None:
    sign_up(page)
    sit_down_at_practice(page)
    wait_for_my_turn(page)
    page.set_viewport_size({"width": 844, "height": 390})
    page.locator("#stock").click()
    expect(own_cards(page)).to_have_count(14)
    for at in range(4):
        own_cards(page).nth(at).click()
    # Four cards of a suit may be a group already.
    page.locator("#group:visible, #ungroup:visible").click()
    own_cards(page).last.click()
    page.locator("#finish").click()
    expect(page.locator("#ask")).to_be_visible()
    page.locator("#ask-body").evaluate(FOUR_GROUPS)

    for width, height in ((844, 390), (740, 360)):
        resize(page, width, height)
        finish = page.locator("#ask-body .card").last.bounding_box()
        answers = page.locator("#ask-yes").bounding_box()
        assert finish["y"] + finish["height"] <= answers["y"], (width, height)
