"""Parts of the card table: the open pile, Arrange, look and sound, small phones."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.person import own_cards, wait_for_my_turn
from tests.browser.places import drop_a_deal

pytestmark = pytest.mark.browser

COMPRESSED_BYTES_MAX = 77_000
TARGET_PX = 44
COUNT_SOUNDS = """
  const start = OscillatorNode.prototype.start;
  OscillatorNode.prototype.start = function (...when) {
    document.documentElement.dataset.rang = "yes";
    return start.apply(this, when);
  };
"""
WATCH_SHIFTS = """
  window.shifts = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifts += entry.value;
  }).observe({ type: "layout-shift", buffered: true });
"""
SMALL = """(least) => [...document.querySelectorAll("button, select, summary, a.back, .button")]
  .filter((each) => each.checkVisibility() && !each.closest(".visually-hidden"))
  .map((each) => [each.id || each.textContent.trim(), each.getBoundingClientRect()])
  .filter(([, box]) => box.width < least || box.height < least)
  .map(([name, box]) => `${name}: ${box.width} x ${box.height}`)"""


def play_now(page: Page) -> None:
    page.goto("/")
    page.get_by_role("button", name="Play now").click()
    wait_for_my_turn(page)


def names_of(cards: Any) -> list[str]:
    labels: list[str] = cards.evaluate_all("cards => cards.map(card => card.ariaLabel)")
    return labels


def width_of(page: Page) -> int:
    return int(page.evaluate("document.documentElement.scrollWidth"))


@pytest.mark.extended
def test_deal_on_a_small_phone(page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 640})
    play_now(page)

    expect(own_cards(page)).to_have_count(13)
    assert width_of(page) <= 360
    assert page.evaluate(SMALL, TARGET_PX) == []
    strips = page.locator("#hand .group .card:not(:last-child)").evaluate_all(
        "cards => cards.map(card => card.nextSibling.offsetLeft - card.offsetLeft)"
    )
    assert min(strips) >= 20  # Rank and suit of every card are in sight.
    page.locator("#stock").click()
    expect(own_cards(page)).to_have_count(14)
    assert width_of(page) <= 360

    # The cards of the open pile, newest first.
    own_cards(page).last.click()
    page.locator("#discard").click()
    page.locator("#menu-button").click()
    page.locator("#leave").click()
    wait_for_my_turn(page)
    expect(page.locator("#ask")).to_contain_text("You give up this game")  # Others have moved on.
    page.get_by_role("button", name="Go back").click()
    page.locator("#pile-history").click()
    expect(page.locator("#pile-cards .card")).to_have_count(
        int(page.locator("#pile-count").inner_text())
    )
    lying = names_of(page.locator("#pile-cards .card"))
    assert lying[0] == names_of(page.locator("#open .card:not(.under)"))[0]
    throwers = page.locator("#pile-cards .by")
    expect(throwers).to_have_text([re.compile(r"\w")] * len(lying))
    page.get_by_role("button", name="Close").click()

    # The server's arrangement, at a practice table.
    before = Counter(names_of(own_cards(page)))
    with page.expect_response(re.compile("/arrangement/$")) as shown:
        page.locator("#arrange").click()
    expect(page.locator("#toasts .note.success")).to_contain_text(f"{shown.value.json()['points']}")
    assert Counter(names_of(own_cards(page))) == before

    drop_a_deal(page)
    expect(page.locator("#last-box")).to_be_attached()
    assert width_of(page) <= 360


@pytest.mark.extended
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.soak
def test_button_text_stays_legible_under_the_pointer(page: Page, theme: str) -> None:
    """On a touch screen the last tapped button keeps its hover style."""
    play_now(page)
    page.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
    page.locator("#stock").click()
    expect(own_cards(page)).to_have_count(14)
    own_cards(page).last.click()
    expect(page.locator("#discard:not(.is-resting)")).to_be_enabled()

    for name in ("sort", "arrange", "discard", "coach-next"):
        button = page.locator(f"#{name}")
        page.mouse.move(0, 0)
        colour = button.evaluate("button => getComputedStyle(button).color")
        button.hover()
        expect(button).to_have_css("color", colour)


@pytest.mark.extended
def test_look_and_sound_change_at_once_and_are_kept(page: Page) -> None:
    page.add_init_script(COUNT_SOUNDS)
    play_now(page)
    club = page.locator("#pile-cards, #hand").locator(".card:has(.pip-C)")

    page.locator("#stock").click()
    expect(own_cards(page)).to_have_count(14)
    rang = page.locator("html[data-rang]")
    expect(rang).not_to_be_attached()  # Silent until asked for.
    page.locator("#menu-button").click()
    page.locator("#look-box summary").click()
    page.get_by_label("Theme").select_option(label="Dark")
    dark = page.locator("#menu").evaluate("menu => getComputedStyle(menu).backgroundColor")
    page.get_by_label("Theme").select_option(label="Light")
    light = page.locator("#menu").evaluate("menu => getComputedStyle(menu).backgroundColor")
    assert dark != light
    page.get_by_label("Card suits").select_option(label="Four colours")
    if club.count():
        colour = club.first.evaluate("card => getComputedStyle(card).color")
        assert colour == "rgb(18, 102, 58)"
    page.get_by_label("Sound at the table").select_option(label="On")
    page.locator("#menu .close").click()
    own_cards(page).last.click()
    page.locator("#discard").click()
    expect(rang).to_be_attached()

    page.reload()
    page_look = page.locator("html[data-theme=light][data-suits=four][data-sound=on]")
    expect(page_look).to_be_attached()


@pytest.mark.extended
def test_table_page_is_small_and_does_not_shift(page: Page) -> None:
    """Measures everything the page loads, compressed as in production."""
    import gzip

    bodies: dict[str, int] = {}

    def weigh(response: Any) -> None:
        if response.request.resource_type != "websocket":
            bodies[response.url] = len(gzip.compress(response.body(), 6))

    play_now(page)
    page.add_init_script(WATCH_SHIFTS)
    page.on("response", weigh)
    with page.expect_response("**/tournaments/ready/"):  # The banner of a tournament, without htmx.
        page.reload()
    wait_for_my_turn(page)
    page.wait_for_load_state("networkidle")

    assert len(bodies) > 20
    assert sum(bodies.values()) < COMPRESSED_BYTES_MAX, bodies
    assert page.evaluate("window.shifts") < 0.1
