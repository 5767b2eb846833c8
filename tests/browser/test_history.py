"""A player verifies a deal, steps through its replay and opens a dispute."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.person import (
    deal_on,
    drop,
    prepared_pool,
    see_it_scored,
    sign_up,
    sit_down_at_practice,
    wait_for_my_turn,
)
from tests.browser.table_boxes import SIZES, resize

# Cards outside their seat's part of the felt, or with a visible index narrower than 10 pixels; a
# page that scrolls.
CROWDED = """() => {
  const found = [];
  const root = document.documentElement;
  if (root.scrollWidth > innerWidth || root.scrollHeight > innerHeight) found.push("page scrolls");
  for (const seat of document.querySelectorAll("#hands .seat")) {
    const box = seat.getBoundingClientRect();
    const cards = [...seat.querySelectorAll(".card")].map((card) => card.getBoundingClientRect());
    cards.forEach((card, at) => {
      const isBeside = card.left < box.left - 1 || card.right > box.right + 1;
      const isInside = !isBeside && card.bottom <= box.bottom + 1;
      const strip = at + 1 < cards.length ? cards[at + 1].left - card.left : card.width;
      if (!isInside || strip < 10) found.push([seat.className, at, Math.round(strip)].join());
    });
  }
  return found;
}"""

# The number of the next deal, once the browser's seed for it is on the page.
SEED_IS_SHOWN = """() => {
  const text = document.getElementById("fair").textContent;
  return text.includes("Your seed for the next deal") && text.match(/Next deal, (\\d+)/)?.[1];
}"""

pytestmark = pytest.mark.browser


def finish_a_deal(page: Page, number: int = 1) -> str:
    """Drop in every deal up to this one, or in the next; return the last one's replay address."""
    wait_for_my_turn(page)
    dropped = deal_on(page)
    drop(page)
    address = see_it_scored(page, dropped)
    return address if dropped >= number else finish_a_deal(page, number)


def seed_of_the_next_deal(page: Page) -> int:
    """Wait until the browser has committed to a seed and revealed it; return the deal's number."""
    return int(page.wait_for_function(SEED_IS_SHOWN).json_value())


def checks(page: Page, kind: str) -> Any:
    return page.locator(f"#checks li.{kind}")


@pytest.mark.extended
def test_browser_adds_a_seed_verifies_the_deal_and_rejects_a_tampered_file(
    page: Page, site: Any
) -> None:
    page.goto(prepared_pool(site, "between", sign_up(page)))
    page.locator("#menu-button").click()
    page.locator("#fair-box summary").click()
    number = seed_of_the_next_deal(page)
    page.locator("#menu .close").click()
    finish_a_deal(page, number)  # Or a later one if the bot ended this one before it was ours.
    address = see_it_scored(page, number).replace("/history/", "/verify/")

    sent: list[str] = []
    page.on("request", lambda request: sent.append(f"{request.method} {request.url}"))
    page.goto(address)
    expect(page.locator("#verdict-title")).to_have_text("This deal is verified.")

    expect(checks(page, "good")).to_have_count(8)
    expect(checks(page, "bad")).to_have_count(0)
    expect(page.locator("#checks")).to_contain_text(
        "This browser saw the same commitment and moves"
    )
    # The table that was left may still commit to a seed of its next deal.
    sent = [line for line in sent if not line.endswith("/client-seed/")]
    assert not [line for line in sent if not line.startswith("GET")]
    file = page.locator("#text").input_value()
    (text,) = re.findall(r'client seed: "([0-9a-f]{64})"', file)
    with page.expect_download() as saved:
        page.get_by_role("link", name="Download the hashes").click()
    seen = saved.value.path().read_text()
    assert f" {number} seed {text}\n" in seen
    assert seen.count(f" {number} ") >= 4  # Its commitment, chain, seed and first move at least.
    first_move = file.partition("[moves]\n")[2].splitlines()[0]
    for change, line in {
        ("commitment: ", "commitment: 0"): "commitment: ",
        (f'"{text}"', '"another"'): "p1: ",
        ("wild: ", "wild: 2C "): "wild: ",
        (first_move, f"{first_move.split()[0]} x 2C"): "x 2C",
    }.items():
        lie = file.replace(*change, 1)
        at = next(n for n, shown in enumerate(lie.splitlines(), start=1) if line in shown)
        page.locator("#text").fill(lie)
        page.get_by_role("button", name="Verify the deal").click()
        expect(page.locator("#verdict-title")).to_have_text(
            "Verification failed: the file is not correct."
        )
        expect(checks(page, "bad")).to_contain_text(f"Line {at}:")
    page.locator("#text").fill("something else")
    page.get_by_role("button", name="Verify the deal").click()
    expect(checks(page, "bad")).to_contain_text("Line 1:")


def mover_of(page: Page) -> Any:
    return page.locator("#hands .is-mover")


@pytest.mark.extended
def test_replay_by_keyboard_sends_no_requests_and_opens_a_dispute_at_its_step(page: Page) -> None:
    sign_up(page)
    sit_down_at_practice(page)
    address = finish_a_deal(page)
    page.goto(address)
    expect(page.locator("#where")).to_contain_text("0 /")
    last = int(page.locator("#slider").get_attribute("max") or "")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))

    page.keyboard.press("ArrowRight")
    expect(page.locator("#where")).to_have_text(f"1 / {last}")
    expect(mover_of(page)).to_have_count(1)
    expect(page.locator("#moves [aria-current]")).to_have_attribute("data-step", "1")
    expect(page).to_have_url(re.compile(r"/\d+/1/$"))
    page.keyboard.press("End")
    expect(page.locator("#hands .is-winner")).to_have_count(1)
    expect(page.get_by_role("heading", name="Scoring")).to_be_in_viewport()
    page.keyboard.press("Home")
    expect(page.get_by_role("status")).to_contain_text("The cards are dealt.")
    expect(page.locator("#hands .card")).to_have_count(26)
    page.keyboard.press(" ")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    expect(page.locator("#where")).not_to_have_text(f"0 / {last}")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("button", name="Play the moves")).to_be_visible()
    page.locator("#slider").fill("1")
    expect(page.locator("#where")).to_have_text(f"1 / {last}")
    page.reload()
    expect(page.locator("#where")).to_have_text(f"1 / {last}")
    assert [url for url in asked if "/history/" in url] == [f"{page.url}"]

    page.get_by_role("link", name="Dispute").click()
    page.get_by_label("What is it about?").select_option(label="The cards or the shuffle")
    page.get_by_label("What happened?").fill("I never hold a joker.")
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_role("heading", name="My disputes")).to_be_visible()
    expect(page.locator("article")).to_contain_text("I never hold a joker.")
    expect(page.locator("article .tag")).to_have_text("Open")
    page.locator("article").get_by_role("link", name="Replay").click()
    expect(page.locator("#where")).to_have_text(f"1 / {last}")


@pytest.mark.extended
def test_replay_shows_every_card_at_every_size(page: Page, site: Any) -> None:
    handle = sign_up(page)
    page.goto(prepared_pool(site, "six", handle))
    address = finish_a_deal(page)
    page.goto(address)
    for width, height in SIZES:
        resize(page, width, height)
        expect(page.locator("#hands .seat")).to_have_count(6)
        assert page.evaluate(CROWDED) == [], (width, height)


@pytest.mark.extended
@pytest.mark.soak
def test_replay_lists_the_moves_without_javascript(chromium: Any, site: Any, page: Page) -> None:
    sign_up(page)
    sit_down_at_practice(page)
    address, cookies = finish_a_deal(page), page.context.cookies()

    plain = chromium.new_context(base_url=site.url, java_script_enabled=False)
    plain.add_cookies(cookies)
    other = plain.new_page()
    other.goto(address)

    expect(other.locator("#moves")).to_contain_text("dropped")
    expect(other.get_by_role("heading", name="Scoring")).to_be_visible()
    expect(other.locator("#hands")).to_be_hidden()
    plain.close()
