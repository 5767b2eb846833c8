"""Phrases at the card table: said by keyboard, seen over the seat, muted for good."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.person import own_cards, prepared_pool, sign_up
from tests.browser.table_boxes import SIZES, measure

pytestmark = [pytest.mark.browser, pytest.mark.extended, pytest.mark.timeout(180)]

LONGEST = "One more game?"
# Bubbles that lie over a card, a pile, a button or the turn, or leave the window.
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


@pytest.fixture
def other_page(chromium: Any, site: Any) -> Iterator[Page]:
    context = chromium.new_context(base_url=site.url, viewport={"width": 1280, "height": 800})
    yield context.new_page()
    context.close()


def say_by_keyboard(page: Page, words: str) -> None:
    page.locator("#phrases-button").focus()
    page.keyboard.press("Enter")
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent") == words:
            break
    page.keyboard.press("Enter")
    expect(page.locator("#phrases")).to_be_hidden()


def test_a_phrase_is_seen_over_the_seat_covers_nothing_and_can_be_muted(
    page: Page, other_page: Page, site: Any
) -> None:
    page.emulate_media(reduced_motion="reduce")
    handle, speaker = sign_up(page), sign_up(other_page)
    address = prepared_pool(site, "six", handle, speaker)
    for person in (page, other_page):
        person.goto(address)
        expect(own_cards(person)).to_have_count(13, timeout=60_000)

    # Both have minutes for a turn: nothing changes at the table until one of them acts.
    asked = page.locator(f"#turn.is-mine, #seats .to-act[data-handle='{speaker}']")
    expect(asked).to_be_visible(timeout=60_000)
    say_by_keyboard(other_page, LONGEST)
    say_by_keyboard(page, "Good luck!")

    seat = page.locator(f"#seats [data-handle='{speaker}'] .said")
    expect(seat).to_have_text(LONGEST)
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

    # Muted, it stays so after a reload; the others go on as before.
    page.locator("#phrases-button").click()
    page.get_by_role("button", name="Mute the others").click()
    page.reload()
    expect(page.locator("html[data-phrases=muted]")).to_be_attached()
    expect(own_cards(page)).to_have_count(13)
    page.locator("#phrases-button").click()
    expect(page.locator("#mute")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Escape")
    say_by_keyboard(other_page, "Hello!")
    expect(other_page.locator("#my-seat .said")).to_have_text("Hello!")
    # The next of one's own arrives after it on the same socket.
    say_by_keyboard(page, "Thank you!")
    expect(page.locator("#my-seat .said")).to_have_text("Thank you!")
    expect(seat).to_have_count(0)
    expect(other_page.locator(f"#seats [data-handle='{handle}'] .said")).to_have_text("Thank you!")
