"""Moves at the card table: dragged, typed and offline, with their animations and log."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.person import own_cards, sign_up, sit_down_at_practice, wait_for_my_turn

pytestmark = [pytest.mark.browser, pytest.mark.extended]

A_SECOND_MS = 1000
COUNT_FLIGHTS = """
  window.flights = 0;
  new MutationObserver((changes) => {
    const added = changes.flatMap((change) => [...change.addedNodes]);
    window.flights += added.filter((node) => node.classList?.contains("flight")).length;
  }).observe(document, { childList: true, subtree: true });
"""
BUTTON_AT = "([x, y]) => document.elementFromPoint(x, y).closest('button')?.id ?? null"


def middle(page: Page, selector: str) -> tuple[float, float]:
    box: Any = page.locator(selector).bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_moves_by_drag_key_and_double_click_are_animated_and_logged(page: Page) -> None:
    page.emulate_media(reduced_motion="no-preference")
    page.add_init_script(COUNT_FLIGHTS)
    sign_up(page)
    sit_down_at_practice(page)
    wait_for_my_turn(page)

    # Dragged from the stock into the hand, the card flies into its slot.
    page.locator("#stock").drag_to(page.locator("#hand .place"))
    expect(own_cards(page)).to_have_count(14)
    expect(page.locator("#hand .is-slot .is-drawn")).to_have_count(1)
    expect(page.locator("#log")).to_contain_text("You drew from the stock")
    page.wait_for_function("window.flights >= 1")

    # A second tap at the place of Discard hits nothing.
    own_cards(page).last.click()
    # It ignores presses for 300 ms; unlike a locator, a mouse does not wait for that.
    expect(page.locator("#discard:not(.is-resting)")).to_be_enabled()
    spot = middle(page, "#discard")
    page.mouse.click(*spot)
    expect(page.locator("#discard")).to_be_disabled()
    assert page.evaluate(BUTTON_AT, list(spot)) in (None, "discard")

    # The bot has card backs.
    wait_for_my_turn(page)
    expect(page.locator("#seats .fan .card")).to_have_count(13)

    # By keys, and a discard by double click.
    own_cards(page).first.focus()
    page.keyboard.press("1")
    expect(own_cards(page)).to_have_count(14)
    own_cards(page).last.dblclick()
    expect(own_cards(page)).to_have_count(13)
    expect(page.locator("#log")).to_contain_text("discarded")


PRESS_AT_ONCE = """() => {
  const discard = document.getElementById("discard");
  window.pressed = [];
  new MutationObserver(() => {
    if (!discard.classList.contains("is-resting") || window.pressed.length) return;
    const { x, y, width, height } = discard.getBoundingClientRect();
    const over = document.elementFromPoint(x + width / 2, y + height / 2);
    window.pressed.push(over?.closest("button")?.id ?? null, discard.disabled);
    discard.click();
    const typed = new KeyboardEvent("keydown", { key: "d", bubbles: true });
    document.querySelector("#hand .card").dispatchEvent(typed);
  }).observe(discard, { attributes: true });
}"""


def test_button_place_ignores_presses_for_a_moment_after_its_action_changes(page: Page) -> None:
    moves: list[str] = []
    page.on("request", lambda sent: moves.append(sent.url) if "/moves/" in sent.url else None)
    sign_up(page)
    sit_down_at_practice(page)
    wait_for_my_turn(page)
    own_cards(page).first.click()
    page.evaluate(PRESS_AT_ONCE)

    page.locator("#stock").click()
    expect(own_cards(page)).to_have_count(14)
    expect(page.locator("#discard:not(.is-resting)")).to_be_enabled()

    assert page.evaluate("window.pressed") == [None, False]
    assert len(moves) == 1
    page.locator("#discard").click()
    expect(own_cards(page)).to_have_count(13)


def test_log_and_drawn_card_marker_survive_a_reload(page: Page) -> None:
    sign_up(page)
    sit_down_at_practice(page)
    wait_for_my_turn(page)
    page.locator("#stock").click()
    expect(page.locator("#hand .is-drawn")).to_have_count(1)
    drawn = page.locator("#hand .is-drawn").get_attribute("aria-label")

    page.reload()

    expect(page.locator("#log")).to_contain_text("You drew from the stock")
    expect(page.locator("#hand .is-slot .is-drawn")).to_have_attribute("aria-label", str(drawn))


@pytest.mark.soak
def test_offline_is_shown_at_once_and_a_tapped_pile_is_sent_later(page: Page) -> None:
    sign_up(page)
    sit_down_at_practice(page)
    wait_for_my_turn(page)

    page.context.set_offline(True)
    expect(page.locator("#banner")).to_be_visible(timeout=A_SECOND_MS)
    page.locator("#stock").click()
    expect(page.locator("#say")).to_have_text("Sending…")
    page.context.set_offline(False)

    expect(own_cards(page)).to_have_count(14)
    expect(page.locator("#banner")).to_be_hidden()
