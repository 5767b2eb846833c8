"""Straight rummy at the card table: melding and laying off by touch and key, at every size."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.beside import run_beside
from tests.browser.chromium import LANGUAGES
from tests.browser.person import PATIENCE_MS, own_cards, read_in, sign_up, wait_for_my_turn
from tests.browser.table_boxes import SIZES, measure

pytestmark = [pytest.mark.browser, pytest.mark.extended]

# Cards overlap: only the left edge of each is visible.
EDGE: Any = {"x": 8, "y": 20}
# More turns than a deal of two players has here.
TURNS_MAX = 60
OUTSIDE = """() => [...document.querySelectorAll(".melds .meld-open .card")].filter((card) => {
  const { left, right, top, bottom } = card.getBoundingClientRect();
  const area = document.getElementById("melds").getBoundingClientRect();
  return left < area.left - 1 || right > area.right + 1 || top < area.top - 1
    || bottom > area.bottom + 1 || right - left < 10;
}).length"""

COUNT_FLIGHTS = """
  window.flights = 0;
  window.starts = [];
  new MutationObserver((changes) => {
    const added = changes.flatMap((change) => [...change.addedNodes]);
    const flying = added.filter((node) => node.classList?.contains("flight"));
    window.flights += flying.length;
    for (const card of flying) {
      const start = card.getAnimations()[0].effect.getKeyframes()[0].transform;
      window.starts.push(Math.round(parseFloat(card.style.left) + new DOMMatrix(start).e));
    }
  }).observe(document, { childList: true, subtree: true });
"""


def legal(page: Page, action: str) -> list[str]:
    """Return the player's legal actions in the page's view."""
    view = page.evaluate(
        "async () => (await fetch(document.getElementById('table').dataset.view)).json()"
    )
    return [text for text in view["me"]["legal"] if text.split()[0] == action]


def run_of_four_and_other(page: Page) -> tuple[list[str], list[str]]:
    """Return a run of four in the hand, and another meld of three."""
    melds = [text.split()[1:] for text in legal(page, "meld")]
    return next(
        (run, other)
        for run in melds
        for other in melds
        if len(run) == 4 and run[0][1] == run[1][1] and len(other) == 3 and not {*run} & {*other}
    )


def press_card(page: Page, code: str) -> None:
    page.locator(f"#hand [data-key^='{code}-']").tap(position=EDGE)


def choose(page: Page, *codes: str) -> None:
    """Select cards of the hand by keyboard."""
    for code in codes:
        page.locator(f"#hand [data-key^='{code}-']").focus()
        page.keyboard.press("Space")


def lay_off_by_key(page: Page, code: str) -> None:
    """Lay a card off at the only meld, which then has four."""
    choose(page, code)
    page.locator("#melds .meld-open").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#melds .meld-open .card")).to_have_count(4)


def meld_by_touch(page: Page, cards: list[str]) -> None:
    before = page.locator("#melds .meld-open").count()
    for code in cards:
        press_card(page, code)
    expect(page.locator("#lay")).to_have_text("Meld")
    page.locator("#lay").tap()
    expect(page.locator("#melds .meld-open")).to_have_count(before + 1)


def play_a_turn(page: Page) -> None:
    """Draw, meld everything possible, and discard the last allowed card."""
    page.locator("#stock").tap()
    expect(page.locator("#discard")).to_be_visible()
    while melds := legal(page, "meld"):
        meld_by_touch(page, melds[0].split()[1:])
        if page.locator("#stage").is_visible():
            return
    while lay_offs := legal(page, "lay"):
        _, code, number = lay_offs[0].split()
        left = own_cards(page).count()
        press_card(page, code)
        page.locator(f"#melds [data-meld='{number}']").tap()
        if left == 1:
            return
        expect(own_cards(page)).to_have_count(left - 1)
    press_card(page, legal(page, "x")[-1].split()[1])
    page.locator("#discard").tap()


def prepared_straight(site: Any, handle: str, *what: str) -> str:
    return f"/tables/{run_beside(site, 'tests.browser.prepared_straight', handle, *what)}/"


@pytest.fixture
def phone(chromium: Any, site: Any) -> Any:
    context = chromium.new_context(
        base_url=site.url, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
    )
    page = context.new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    yield page
    context.close()
    assert complaints == []


@pytest.mark.soak
def test_whole_deal_by_touch_on_a_phone(phone: Page, site: Any) -> None:
    handle = sign_up(phone)
    phone.goto(prepared_straight(site, handle))
    wait_for_my_turn(phone)
    expect(own_cards(phone)).to_have_count(10)
    expect(phone.locator("#wild")).to_be_hidden()
    phone.locator("#stock").tap()
    expect(own_cards(phone)).to_have_count(11)

    # Three of a run of four become a meld, the fourth is laid off by a tap on it.
    run, other = run_of_four_and_other(phone)
    meld_by_touch(phone, run[:3])
    press_card(phone, run[3])
    expect(phone.locator("#lay")).to_have_text("Lay off")
    meld = phone.locator("#melds .meld-open")
    expect(meld).to_have_class("meld-open is-call")
    meld.tap()
    expect(meld.locator(".card")).to_have_count(4)
    expect(own_cards(phone)).to_have_count(7)
    # The other meld is dragged onto the felt.
    for code in other:
        press_card(phone, code)
    phone.locator(f"#hand [data-key^='{other[0]}-']").drag_to(
        phone.locator("#melds"), source_position=EDGE, target_position={"x": 5, "y": 5}
    )
    expect(phone.locator("#melds .meld-open")).to_have_count(2)
    press_card(phone, legal(phone, "x")[-1].split()[1])
    phone.locator("#discard").tap()

    podium = phone.locator("#stage .podium > li")
    for _ in range(TURNS_MAX):
        expect(phone.locator("#stock:enabled").or_(podium.first)).to_be_visible(timeout=PATIENCE_MS)
        if podium.count():
            break
        play_a_turn(phone)
    expect(podium.first).to_be_in_viewport(ratio=1)


def test_melds_fit_every_window_and_keys_meld(page: Page, site: Any) -> None:
    handle = sign_up(page)
    page.goto(prepared_straight(site, handle))
    wait_for_my_turn(page)
    page.keyboard.press("Tab")
    page.locator("#hand [tabindex='0']").focus()
    page.keyboard.press("1")
    expect(own_cards(page)).to_have_count(11)
    run, _other = run_of_four_and_other(page)
    choose(page, *run[:3])
    expect(page.locator("#actions .is-resting")).to_have_count(0)
    page.keyboard.press("m")
    expect(page.locator("#melds .meld-open")).to_have_count(1)
    lay_off_by_key(page, run[3])
    expect(page.locator("#live")).not_to_be_empty()

    bad = {}
    for language in ("en", "hi"):
        read_in(page, site, language)
        page.reload()
        expect(page.locator("html")).to_have_attribute("lang", language)
        expect(own_cards(page)).to_have_count(7)
        for width, height in SIZES:
            found = measure(page, width, height)
            size = f"{width}x{height} {language}"
            sys.stdout.write(f"{size}: strips of {found['strip']:.1f} px\n")
            if found["wrong"] or page.evaluate(OUTSIDE):
                bad[size] = found["wrong"], page.evaluate(OUTSIDE)
    assert bad == {}


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
@pytest.mark.soak
def test_meld_is_animated_unless_motion_is_reduced(page: Page, site: Any, motion: Any) -> None:
    page.add_init_script(COUNT_FLIGHTS)
    page.emulate_media(reduced_motion=motion)
    handle = sign_up(page)
    page.goto(prepared_straight(site, handle))
    wait_for_my_turn(page)
    page.locator("#stock").click()
    expect(own_cards(page)).to_have_count(11)
    run, _other = run_of_four_and_other(page)
    assert page.evaluate("window.flights") == 0 or motion != "reduce"
    page.evaluate("window.flights = 0; window.starts = []")
    lay_at = [
        page.locator(f"#hand [data-key^='{code}-']").evaluate(
            "card => Math.round(card.getBoundingClientRect().left)"
        )
        for code in run[:3]
    ]

    choose(page, *run[:3])
    expect(page.locator("#actions .is-resting")).to_have_count(0)
    page.keyboard.press("m")
    expect(page.locator("#melds .meld-open")).to_have_count(1)
    expect(page.locator("#log")).to_contain_text("laid a meld")
    assert page.evaluate("window.flights") == (0 if motion == "reduce" else 3)
    assert page.evaluate("window.starts") == ([] if motion == "reduce" else lay_at)

    lay_off_by_key(page, run[3])
    expect(page.locator("#log")).to_contain_text("laid off")
    assert page.evaluate("window.flights") == (0 if motion == "reduce" else 4)


COVERED = """() => [...document.querySelectorAll("#melds .meld-open .card")].filter((card) => {
  const { left, top } = card.getBoundingClientRect();
  const over = document.elementFromPoint(left + 3, top + 3);
  return !card.closest(".meld-open").contains(over);
}).length"""


@pytest.mark.parametrize("language", LANGUAGES)
def test_many_melds_of_six_seats_fit_every_window(page: Page, site: Any, language: str) -> None:
    handle = sign_up(page)
    address = prepared_straight(site, handle, "six")
    read_in(page, site, language)
    page.goto(address)
    wait_for_my_turn(page)
    melds = page.locator("#melds .meld-open")
    expect(page.locator("#seats .seat")).to_have_count(5)
    expect(melds.nth(4)).to_be_visible()

    bad = {}
    for width, height in SIZES:
        found = measure(page, width, height)
        outside, covered = page.evaluate(OUTSIDE), page.evaluate(COVERED)
        if found["wrong"] or outside or covered:
            bad[f"{width}x{height}"] = found["wrong"], outside, covered
    assert bad == {}
