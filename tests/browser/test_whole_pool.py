"""A player plays a whole pool against bots, to the payout in the wallet."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.person import PATIENCE_MS, own_cards, sign_up

pytestmark = [pytest.mark.browser, pytest.mark.timeout(1800), pytest.mark.soak]

TURNS_MAX = 400
BUSY = "#stock:enabled, #send:visible, #prompt-no:visible, #stage .podium"


def test_player_plays_a_pool_61_to_the_payout(page: Page) -> None:
    sign_up(page)
    row = page.locator(".table-row", has_text="Practice pool 61").last
    row.get_by_role("button", name=re.compile("Join for")).click()

    for _ in range(TURNS_MAX):
        page.locator(BUSY).first.wait_for(timeout=PATIENCE_MS)
        if page.locator("#stage .podium").is_visible():
            break
        take_part(page)

    podium = page.locator("#stage .podium > li")
    expect(podium).to_have_count(4)
    mine = podium.filter(has_text="You")
    prize = mine.locator(".number").inner_text()
    page.goto("/wallet/statement/")
    rows = page.locator("table.statement tbody tr")
    assert (prize != "–") == bool(rows.filter(has_text="prize").count())
    if prize != "–":
        assert re.search(r"[\d.]+ PTS", prize)
    page.goto("/history/")
    expect(page.locator(".table-row", has_text="Practice pool 61").first).to_be_visible()


def take_part(page: Page) -> None:
    """Answer the open question: groups, a rejoin, or a turn as the server advises."""
    if page.locator("#prompt-no").is_visible():
        page.locator("#prompt-no").click()
        expect(page.locator("#prompt-no")).to_be_hidden()
    elif page.locator("#send").is_visible():
        page.locator("#arrange").click()
        page.locator("#send").click()
        expect(page.locator("#send")).to_be_hidden()
    else:
        take_a_turn(page)


def take_a_turn(page: Page) -> None:
    page.locator("#stock").click()
    expect(own_cards(page)).to_have_count(14)
    with page.expect_response(re.compile("/arrangement/$")) as shown:
        page.locator("#arrange").click()
    if shown.value.json()["finish"]:
        expect(page.locator("#declare")).to_be_enabled()
        page.locator("#declare").click()
        expect(page.locator("#ask .warn")).to_have_count(0)
        page.locator("#ask-yes").click()
        expect(page.locator("#declare")).to_be_disabled()
        return
    loose = page.locator("#hand .group:is(.is-loose, .is-heap) .card")
    (loose if loose.count() else own_cards(page)).last.click()
    page.locator("#discard").click()
    expect(page.locator("#discard")).to_be_disabled()
