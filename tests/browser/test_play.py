"""A player signs up, sits down, plays, and sees the score of the deal."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.person import (
    PATIENCE_MS,
    deal_on,
    drop,
    fill_in_sign_up,
    is_scored,
    own_cards,
    play_a_card,
    play_elsewhere,
    see_it_scored,
    sign_in,
    sign_up,
    sit_down_at_practice,
    wait_for_my_turn,
)

pytestmark = pytest.mark.browser


def own_total(page: Page) -> int:
    return int(page.locator("#my-seat .sub").inner_text().split()[0])


def see_its_scores(page: Page, replay: str) -> Any:
    """Go to the replay's last step and return the rows of the scores."""
    page.goto(replay)
    page.keyboard.press("End")
    rows = page.locator(".deal-rows > li")
    expect(rows.filter(has_text="won the deal")).to_have_count(1)
    return rows


def test_new_player_plays_a_deal_that_a_worker_scores(page: Page) -> None:
    page.emulate_media(reduced_motion="no-preference")
    handle = fill_in_sign_up(page)
    sit_down_at_practice(page)

    play_a_card(page)
    # If the bot has ended this deal by a drop or a show, play in the next one.
    wait_for_my_turn(page)
    number = deal_on(page)
    before = own_total(page)
    points = drop(page)
    assert points in (20, 40)

    replay = see_it_scored(page, number)
    expect(page.locator("#last .deal-rows > li", has_text="You")).to_be_attached()
    mine = see_its_scores(page, replay).filter(has_text=handle)
    expect(mine).to_contain_text("middle drop" if points == 40 else "first drop")
    expect(mine).to_contain_text(f"{points}, total {before + points}")
    page.goto("/")
    expect(page.locator(".table-row.mine")).to_have_count(1)


@pytest.mark.extended
@pytest.mark.soak
def test_groups_survive_a_reload(page: Page, site: Any) -> None:
    sign_in(page, site)
    sit_down_at_practice(page)
    wait_for_my_turn(page)

    own_cards(page).first.click()
    own_cards(page).last.click()
    pair = page.locator("#hand .card[aria-pressed=true]")
    names = sorted(pair.nth(i).get_attribute("aria-label") or "" for i in range(2))
    with page.expect_response(re.compile("/groups/$")) as saved:
        page.get_by_role("button", name="Group", exact=True).click()
    assert saved.value.status == 204
    page.reload()
    expect(own_cards(page)).to_have_count(13)

    made = page.locator("#hand .group").filter(has_not=page.locator(".card:nth-child(3)"))
    found = [
        sorted(
            made.nth(i).locator(".card").nth(j).get_attribute("aria-label") or "" for j in range(2)
        )
        for i in range(made.count())
        if made.nth(i).locator(".card").count() == 2
    ]
    assert names in found

    signed_in = page.context.cookies()
    page.context.clear_cookies()
    page.locator("#arrange").click()
    expect(page.locator("#toasts")).to_contain_text("You are signed out.")
    page.context.add_cookies(signed_in)  # type: ignore[arg-type]

    # The clock plays the card being dragged: only that card is gone.
    page.locator("#stock").click()
    expect(own_cards(page)).to_have_count(14)
    box = own_cards(page).last.bounding_box()
    key = own_cards(page).last.get_attribute("data-key") or ""
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 10)
    page.mouse.down()
    page.mouse.move(box["x"] - 40, box["y"] + 30, steps=3)
    expect(page.locator(".ghost")).to_be_attached()
    assert play_elsewhere(page, f"x {key.split('-')[0]}") == 200
    expect(page.locator("#discard")).to_be_disabled()
    page.mouse.up()
    expect(page.locator(f".ghost, #hand [data-key='{key}']")).to_have_count(0)


@pytest.mark.extended
def test_lost_connection_is_shown_and_the_table_continues(page: Page) -> None:
    cut = {"is_on": True}
    page.route_web_socket(
        re.compile("/ws/"), lambda ws: ws.close() if cut["is_on"] else ws.connect_to_server()
    )
    sign_up(page)
    sit_down_at_practice(page)

    expect(page.locator("#banner")).to_be_visible()
    wait_for_my_turn(page)
    cut["is_on"] = False

    expect(page.locator("#banner")).to_be_hidden(timeout=PATIENCE_MS)


@pytest.mark.extended
def test_sign_out_in_another_tab_redirects_the_table_to_the_sign_in(page: Page) -> None:
    sign_up(page)
    sit_down_at_practice(page)
    expect(page.locator("#banner")).to_be_hidden()

    other = page.context.new_page()
    other.goto("/accounts/logout/")
    other.locator("main form button").click()

    page.wait_for_url(re.compile("/accounts/login/"), timeout=PATIENCE_MS)


def tab_to(page: Page, selector: str) -> None:
    """Press Tab until the element has the focus."""
    for _ in range(60):
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not lead to {selector}")


def choose_the_last_card_by_keyboard(page: Page, then: str = "") -> None:
    """Draw from the stock and select the last card; press `then`."""
    tab_to(page, "#stock")
    page.keyboard.press("Enter")
    expect(own_cards(page)).to_have_count(14)
    tab_to(page, "#hand .card")
    page.keyboard.press("End")
    page.keyboard.press("Space")
    if then:
        expect(page.locator("#actions .is-resting")).to_have_count(0)
        page.keyboard.press(then)


@pytest.mark.extended
def test_whole_deal_is_played_by_keyboard(page: Page) -> None:
    sign_up(page)
    sit_down_at_practice(page)
    wait_for_my_turn(page)

    number = deal_on(page)
    choose_the_last_card_by_keyboard(page, then="d")
    expect(page.locator("#discard")).to_be_disabled()

    # A bot may end the deal meanwhile; with another turn in it, the player declares.
    ended = is_scored(page, number)
    expect(page.locator("#stock:enabled").or_(ended).first).to_be_attached(timeout=PATIENCE_MS)
    if ended.count() == 0:
        choose_the_last_card_by_keyboard(page)
        tab_to(page, "#finish")
        page.keyboard.press("Enter")
        tab_to(page, "#ask-yes")
        page.keyboard.press("Enter")

    see_its_scores(page, see_it_scored(page, number))


@pytest.mark.extended
def test_dragging_discards_and_a_wrong_show_gets_a_warning_first(
    page: Page,
) -> None:
    handle = sign_up(page)
    sit_down_at_practice(page)
    wait_for_my_turn(page)
    page.locator("#stock").click()
    expect(own_cards(page)).to_have_count(14)

    own_cards(page).last.drag_to(page.locator("#open"))
    expect(page.locator("#discard")).to_be_disabled()
    wait_for_my_turn(page)
    number, before = deal_on(page), own_total(page)
    page.locator("#stock").click()
    expect(own_cards(page)).to_have_count(14)
    own_cards(page).last.click()
    # The button needs a possible show; the finish slot accepts any card and asks to confirm.
    expect(page.get_by_role("button", name="Declare")).to_be_disabled()
    page.locator("#finish").click()
    expect(page.locator("#ask").get_by_role("button", name="Go back")).to_be_focused()
    expect(page.locator("#ask .warn")).to_contain_text("A wrong show costs 80 points.")
    page.locator("#ask").get_by_role("button", name="Declare").click()

    expect(page.locator("#stage .warn")).to_contain_text("Wrong show: 80 points. ")
    page.reload()
    expect(page.locator("#stage .warn")).to_contain_text("Wrong show: 80 points. ")
    mine = see_its_scores(page, see_it_scored(page, number)).filter(has_text=handle)
    expect(mine).to_contain_text("wrong show")
    expect(mine).to_contain_text(f"80, total {before + 80}")


@pytest.mark.extended
@pytest.mark.soak
def test_move_with_a_lost_answer_is_sent_again_and_counts_once(page: Page) -> None:
    sent: list[dict[str, Any]] = []

    def lose_the_first_answer(route: Route) -> None:
        sent.append(route.request.post_data_json)
        if len(sent) > 1:
            route.continue_()
            return
        route.fetch()  # The server has played it; the page never receives so.
        route.abort()

    page.route("**/moves/", lose_the_first_answer)
    sign_up(page)
    sit_down_at_practice(page)
    wait_for_my_turn(page)

    page.locator("#stock").click()

    expect(page.get_by_role("button", name="Discard")).to_be_visible()
    expect(own_cards(page)).to_have_count(14)
    expect(page.locator("#toasts .note")).to_have_count(0)
    assert len(sent) == 2
    assert sent[0] == sent[1]
