"""A player answers a rejoin offer and proposes a split."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.person import prepared_pool, sign_up

pytestmark = pytest.mark.browser

PATIENCE_MS = 30_000
PHONE = {"width": 360, "height": 740}


def fits(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"))


@pytest.mark.extended
def test_player_who_is_out_sees_the_price_and_rejoins_by_keyboard(page: Page, site: Any) -> None:
    page.set_viewport_size(PHONE)
    handle = sign_up(page)
    page.goto(prepared_pool(site, "rejoin", handle))

    prompt = page.get_by_role("region", name="Rejoin?")
    expect(prompt).to_be_visible()
    expect(prompt).to_contain_text("A rejoin continues at 51 points")
    expect(prompt).to_contain_text("with all rejoins 360 PTS")
    expect(page.locator("#prompt-time")).to_contain_text("s left")
    assert fits(page)
    page.get_by_role("button", name="Rejoin for 100 PTS").press("Enter")

    expect(page.locator("#prize")).to_have_text("360 PTS")
    expect(page.get_by_role("button", name="Rejoin for 100 PTS")).to_be_hidden()
    mine = page.locator("#scores tr.me")
    expect(mine).to_contain_text("rejoined at 51")
    expect(page.locator("#my-seat")).to_contain_text("51 pts")


@pytest.mark.extended
def test_pool_without_drops_shows_no_drops_left(page: Page, site: Any) -> None:
    handle = sign_up(page)
    page.goto(prepared_pool(site, "no-drops", handle))

    prompt = page.get_by_role("region", name="Rejoin?")
    expect(prompt.locator("thead th")).to_have_text(["Player", "New total", "Costs", "Answer"])
    expect(prompt.locator("tr.me td.number")).to_have_text(["2", "100 PTS"])
    expect(page.locator("#scores thead th")).to_have_text(["Player", "D1", "Total"])
    expect(page.locator("#seats").get_by_text("1 pt", exact=True)).to_have_count(1)
    for part in (page.locator("#seats"), page.locator("#scores"), prompt):
        expect(part).not_to_contain_text(re.compile("drop", re.IGNORECASE))


@pytest.mark.extended
def test_survivor_sees_the_shares_proposes_a_split_and_is_paid(page: Page, site: Any) -> None:
    page.set_viewport_size(PHONE)
    handle = sign_up(page)
    page.goto(prepared_pool(site, "split", handle))

    prompt = page.locator("#prompt")
    expect(prompt).to_contain_text("The prize is 270 PTS. First drops left:")
    expect(prompt.locator("tr.me")).to_contain_text("225 PTS")
    assert fits(page)
    page.get_by_role("button", name="Propose the split").click()

    expect(page.locator("#stage")).to_contain_text("You won 225 PTS", timeout=PATIENCE_MS)
    expect(prompt).to_be_hidden()
