"""Between deals, games and tables: ready, play again, rematch and the list of other games."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.person import (
    PATIENCE_MS,
    own_cards,
    prepared_pool,
    sign_up,
    sit_down_at_practice,
    wait_for_my_turn,
)

pytestmark = [pytest.mark.browser, pytest.mark.extended]

GAP_MS = 30_000  # Of the prepared pool.


@pytest.mark.soak
def test_ready_starts_the_next_deal_when_only_bots_are_left(page: Page, site: Any) -> None:
    handle = sign_up(page)
    page.goto(prepared_pool(site, "between", handle))
    expect(page.locator("#stage")).to_contain_text("Deal 1")

    page.get_by_role("button", name="Ready").click()

    expect(own_cards(page)).to_have_count(13, timeout=GAP_MS // 2)
    expect(page.locator("#ready-bar")).to_be_hidden()


@pytest.mark.soak
def test_two_players_rematch_at_a_table_of_their_own(page: Page, chromium: Any, site: Any) -> None:
    context = chromium.new_context(base_url=site.url)
    other = context.new_page()
    handle, second = sign_up(page), sign_up(other)
    address = prepared_pool(site, "over", handle, second)
    for person in (page, other):
        person.goto(address)
        expect(person.locator("#stage .podium")).to_be_visible()
        expect(person.get_by_role("button", name="Play again")).to_be_visible()
    expect(page.locator("#stage .win")).to_contain_text("You won 180 PTS")

    page.get_by_role("button", name="Rematch for 100 PTS").click()
    expect(page.locator("#stage")).to_contain_text("1 of 2 seats are taken", timeout=PATIENCE_MS)
    other.get_by_role("button", name=f"Rematch: {handle} waiting").click()

    for person in (page, other):
        expect(own_cards(person)).to_have_count(13, timeout=PATIENCE_MS)
    assert page.url == other.url
    context.close()


def test_finished_game_links_to_the_next_tournament(page: Page, site: Any) -> None:
    handle = sign_up(page)
    listed = page.request.get("/api/v1/tournaments/").json()["results"]
    starts = {
        row["id"]: datetime.fromisoformat(row["starts_at"]) for row in listed if row["starts_at"]
    }
    coming = {key: start for key, start in starts.items() if start > datetime.now(UTC)}
    soonest = min(coming, key=coming.__getitem__)
    name = next(row["name"] for row in listed if row["id"] == soonest)

    page.goto(prepared_pool(site, "over", handle))
    link = page.get_by_role("link", name=f"Next tournament: {name}")
    expect(link).to_be_in_viewport()
    link.click()

    expect(page).to_have_url(f"{site.url}/tournaments/{soonest}/")
    expect(page.get_by_role("heading", level=1)).to_contain_text(name)


def test_table_lists_other_games_and_links_to_the_one_on_turn(page: Page, site: Any) -> None:
    handle = sign_up(page)
    asked = prepared_pool(site, "rejoin", handle)
    sit_down_at_practice(page)

    games = page.get_by_role("button", name="Your turn in 1 other game")
    games.click()
    link = page.get_by_role("link", name="Prepared pool")
    expect(link).to_contain_text("Your turn")
    link.click()
    expect(page).to_have_url(site.url + asked)
    page.get_by_role("button", name="Stay out").click()
    expect(page.get_by_role("button", name="Stay out")).to_be_hidden()

    expect(page.get_by_role("button", name="other game")).to_be_visible(timeout=PATIENCE_MS)
    page.goto("/lobby/")
    expect(page.locator(".table-row.mine")).to_have_count(1)
    page.locator(".table-row.mine a").first.click()
    wait_for_my_turn(page)


@pytest.mark.soak
def test_vibration_has_its_own_setting(page: Page) -> None:
    page.add_init_script("navigator.vibrate = (span) => (window.felt ??= []).push(span);")
    sign_up(page)
    page.goto("/account/look/")
    page.get_by_label("Vibration at your turn").select_option("on")
    page.get_by_role("button", name="Save").click()
    page.goto("/lobby/")
    sit_down_at_practice(page)

    wait_for_my_turn(page)

    expect(page.locator("html[data-sound=off][data-vibration=on]")).to_be_attached()
    page.wait_for_function("window.felt?.includes(60)")
