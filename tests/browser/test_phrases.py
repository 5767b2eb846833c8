"""Phrases at the card table: sent by keyboard, shown over the seat, muted."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.person import own_cards, play_elsewhere, prepared_pool, sign_up
from tests.browser.table_boxes import SIZES, measure

pytestmark = [pytest.mark.browser, pytest.mark.extended]

LONGEST = "One more game?"
# Bubbles that cover a card, a pile, a button or the turn bar, or leave the window.
PARTS = (
    "#seats .fan .card, #centre .stack, #centre button, #hand, #actions, #say, #laid,"
    ".table-bar :is(a, button)"
)
COVERED = """(parts) => [...document.querySelectorAll(".said")].flatMap((said) => {
  const a = said.getBoundingClientRect();
  const over = [...document.querySelectorAll(parts)].filter((part) => {
    const b = part.getBoundingClientRect();
    const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
    return width > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
  });
  const isCut = a.left < 0 || a.right > innerWidth || a.top < 0 || a.width === 0;
  return [...over.map((part) => part.id || part.className), ...(isCut ? ["cut off"] : [])];
})"""


def say_by_keyboard(page: Page, words: str) -> None:
    expect(page.locator("#phrases-button")).to_be_visible()
    page.locator("#phrases-button").focus()
    page.keyboard.press("Enter")
    phrase = page.locator("#phrases").get_by_role("button", name=words, exact=True)
    for _ in range(20):
        page.keyboard.press("Tab")
        if phrase.evaluate("phrase => phrase === document.activeElement"):
            break
    expect(phrase).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#phrases")).to_be_hidden()


def be_dealt_in(address: str, *people: Page) -> None:
    for person in people:
        person.goto(address)
        expect(own_cards(person)).to_have_count(13, timeout=60_000)


def test_visitor_watches_a_game_without_phrases_to_send(
    page: Page, other_page: Page, site: Any
) -> None:
    handle, other = sign_up(page), sign_up(other_page)
    address = prepared_pool(site, "no-bots", handle, other)
    be_dealt_in(address, page)
    expect(page.locator("#phrases-button")).to_be_visible()
    page.context.clear_cookies()

    page.goto(address)

    expect(page.locator("#seats .seat .name")).not_to_have_count(0)
    expect(page.locator("#wire")).to_have_accessible_name("Connected")
    expect(page.locator("#phrases-button")).to_be_hidden()


@pytest.mark.soak
def test_phrase_over_a_seat_covers_nothing_and_can_be_muted(
    page: Page, other_page: Page, site: Any
) -> None:
    handle, speaker = sign_up(page), sign_up(other_page)
    # Turns last minutes and no player acts, so nothing changes at the table.
    address = prepared_pool(site, "no-bots", handle, speaker)
    be_dealt_in(address, page, other_page)

    seat = page.locator(f"#seats [data-handle='{speaker}'] .said")
    say_by_keyboard(other_page, LONGEST)
    expect(other_page.locator("#my-seat .said")).to_have_text(LONGEST)
    expect(seat).to_have_text(LONGEST)
    say_by_keyboard(page, "Good luck!")
    expect(page.locator("#my-seat .said")).to_have_text("Good luck!")
    expect(seat).to_have_count(0, timeout=20_000)
    # The longest phrase over every seat at once, for as long as it takes to measure.
    page.evaluate(
        """(words) => document.querySelectorAll("#seats .seat").forEach((seat) => {
          seat.append(document.createElement("span"));
          Object.assign(seat.lastChild, { className: "said", textContent: words });
        })""",
        LONGEST,
    )
    for width, height in SIZES:
        assert measure(page, width, height)["wrong"] == [], (width, height)
        assert page.evaluate(COVERED, PARTS) == [], (width, height)

    # Muting survives a reload; other players are not affected.
    page.locator("#phrases-button").click()
    page.get_by_role("button", name="Mute other players").click()
    page.reload()
    expect(page.locator("html[data-phrases=muted]")).to_be_attached()
    expect(own_cards(page)).to_have_count(13)
    page.locator("#phrases-button").click()
    expect(page.locator("#mute")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Escape")
    say_by_keyboard(other_page, "Hello!")
    expect(other_page.locator("#my-seat .said")).to_have_text("Hello!")
    # The player's own next phrase arrives after it on the same socket.
    say_by_keyboard(page, "Thank you!")
    expect(page.locator("#my-seat .said")).to_have_text("Thank you!")
    expect(seat).to_have_count(0)
    expect(other_page.locator(f"#seats [data-handle='{handle}'] .said")).to_have_text("Thank you!")


@pytest.mark.soak
def test_phrase_sent_while_the_page_loads_is_shown(page: Page, other_page: Page, site: Any) -> None:
    handle, speaker = sign_up(page), sign_up(other_page)
    address = prepared_pool(site, "no-bots", handle, speaker)
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/around*.js", hold)
    be_dealt_in(address, page, other_page)
    expect(page.get_by_role("img", name="Connected")).to_be_visible()
    say_by_keyboard(other_page, "Hello!")
    expect(other_page.locator("#my-seat .said")).to_have_text("Hello!")

    (asked,) = held
    asked.continue_()
    expect(page.locator(f"#seats [data-handle='{speaker}'] .said")).to_have_text("Hello!")


@pytest.mark.soak
def test_phrase_list_closes_when_the_next_turn_begins(
    page: Page, other_page: Page, site: Any
) -> None:
    handle, other_handle = sign_up(page), sign_up(other_page)
    address = prepared_pool(site, "two", handle, other_handle)
    be_dealt_in(address, page, other_page)
    is_first = page.locator("#turn.is-mine").is_visible()
    asked, waiting = (page, other_page) if is_first else (other_page, page)

    for person in (asked, waiting):
        expect(person.locator("#phrases-button")).to_be_visible()
        person.locator("#phrases-button").click()
        expect(person.locator("#phrases")).to_be_visible()
    assert play_elsewhere(asked, "ds") == 200
    expect(own_cards(asked)).to_have_count(14)
    expect(asked.locator("#phrases")).to_be_visible()

    asked.keyboard.press("Escape")
    own_cards(asked).last.click()
    asked.get_by_role("button", name="Discard").click()
    expect(waiting.locator("#turn.is-mine")).to_be_visible()
    expect(waiting.locator("#phrases")).to_be_hidden()
