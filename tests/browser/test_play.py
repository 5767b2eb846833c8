"""A person in front of the site: signs up, sits down, plays, sees how the deal was scored."""

from __future__ import annotations

import re
from typing import Any
from uuid import uuid4

import pytest
from playwright.sync_api import Page, Route, expect

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]

# A game starts after its countdown, and bots take turns in between.
PATIENCE_MS = 60_000
# A move from another tab, or the clock's.
PLAY_ELSEWHERE = """async (move) => {
  const { api, view } = document.getElementById("table").dataset;
  const { version } = await (await fetch(view)).json();
  const token = document.cookie.match(/csrftoken=([^;]+)/)[1];
  const body = { move_id: crypto.randomUUID(), expected_version: version, move };
  const headers = { "Content-Type": "application/json", "X-CSRFToken": token };
  const sent = { method: "POST", headers, body: JSON.stringify(body) };
  return (await fetch(`${api}moves/`, sent)).status;
}"""


def sign_in(page: Page, site: Any) -> None:
    page.goto("/accounts/login/")
    page.get_by_label("Email").fill(site.player.email)
    page.get_by_label("Password").fill(site.player.password)
    page.locator("main").get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Lobby")).to_be_visible()


def sign_up(page: Page) -> str:
    """Make a new account and return its handle."""
    handle = f"p{uuid4().hex[:12]}"
    page.goto("/accounts/signup/")
    page.get_by_label("Email").fill(f"{handle}@players.example")
    page.get_by_label("Handle").fill(handle)
    page.get_by_label("Password").fill("marigold-felt-27")
    page.get_by_role("button", name="Sign up").click()
    expect(page.get_by_role("heading", name="Lobby")).to_be_visible()
    return handle


def sit_down_at_practice(page: Page) -> None:
    """Take a seat against one bot: the shortest way to a deal."""
    row = page.locator(".table-row", has_text="Practice duel").last
    row.get_by_role("button", name=re.compile("Join for")).click()
    expect(page.locator("#table")).to_be_visible()


def wait_for_my_turn(page: Page) -> None:
    expect(page.locator("#stock")).to_be_enabled(timeout=PATIENCE_MS)


def own_cards(page: Page) -> Any:
    return page.locator("#hand .card")


def drop(page: Page) -> int:
    """Give the deal up at one's turn; returns what the page says it costs."""
    button = page.get_by_role("button", name=re.compile(r"^Drop \("))
    points = int(re.sub(r"\D", "", button.inner_text()))
    button.click()
    expect(page.locator("#ask")).to_contain_text(f"It costs {points} points.")
    page.locator("#ask").get_by_role("button", name="Drop").click()
    return points


def see_the_scored_deal(page: Page) -> None:
    rows = page.locator("#last .deal-rows > li")
    expect(page.locator("#last-box")).to_be_attached()
    expect(rows.first).to_be_attached(timeout=PATIENCE_MS)
    expect(rows.first).to_contain_text("won the deal")


def test_a_new_player_plays_a_deal_that_a_worker_scores(page: Page) -> None:
    sign_up(page)
    sit_down_at_practice(page)

    wait_for_my_turn(page)
    expect(own_cards(page)).to_have_count(13)
    page.locator("#stock").click()
    expect(own_cards(page)).to_have_count(14)
    own_cards(page).last.click()
    page.get_by_role("button", name="Discard").click()
    expect(own_cards(page)).to_have_count(13)
    wait_for_my_turn(page)
    # The first drop of the next deal, where the bot has given this one up.
    points = drop(page)
    assert points in (20, 40)

    mine = page.locator("#last .deal-rows > li", has_text="You")
    expect(mine).to_contain_text(
        "middle drop" if points == 40 else "first drop", timeout=PATIENCE_MS
    )
    expect(mine).to_contain_text(f"{points}, total {points}")
    see_the_scored_deal(page)
    page.goto("/")
    expect(page.locator(".table-row.mine")).to_have_count(1)


@pytest.mark.extended
def test_groups_made_by_hand_are_there_after_a_reload(page: Page, site: Any) -> None:
    sign_in(page, site)
    sit_down_at_practice(page)
    wait_for_my_turn(page)

    page.locator("#hand .group").first.locator(".card").first.click()
    page.locator("#hand .group").last.locator(".card").last.click()
    pair = page.locator("#hand .card[aria-pressed=true]")
    names = sorted(pair.nth(i).get_attribute("aria-label") or "" for i in range(2))
    with page.expect_response(re.compile("/groups/$")) as saved:
        page.get_by_role("button", name="Group", exact=True).click()
    assert saved.value.status == 204
    page.reload()

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

    # The clock plays the card that is being dragged: it is gone, and nothing else is.
    page.locator("#stock").click()
    expect(own_cards(page)).to_have_count(14)
    box = own_cards(page).last.bounding_box()
    key = own_cards(page).last.get_attribute("data-key") or ""
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 10)
    page.mouse.down()
    page.mouse.move(box["x"] - 40, box["y"] + 30, steps=3)
    expect(page.locator(".ghost")).to_be_attached()
    assert page.evaluate(PLAY_ELSEWHERE, f"x {key.split('-')[0]}") == 200
    expect(page.locator("#discard")).to_be_hidden()
    page.mouse.up()
    expect(page.locator(f".ghost, #hand [data-key='{key}']")).to_have_count(0)


@pytest.mark.extended
def test_a_cut_connection_is_shown_and_the_table_goes_on(page: Page) -> None:
    cut = {"is_on": True}
    page.route_web_socket(
        re.compile("/ws/"), lambda ws: ws.close() if cut["is_on"] else ws.connect_to_server()
    )
    sign_up(page)
    sit_down_at_practice(page)

    expect(page.locator("#banner")).to_be_visible()
    wait_for_my_turn(page)
    cut["is_on"] = False

    expect(page.locator("#banner")).to_be_hidden(timeout=20_000)


@pytest.mark.extended
def test_a_sign_out_in_another_tab_leads_the_table_to_the_sign_in(page: Page) -> None:
    sign_up(page)
    sit_down_at_practice(page)
    expect(page.locator("#banner")).to_be_hidden()

    other = page.context.new_page()
    other.goto("/accounts/logout/")
    other.locator("main form button").click()

    page.wait_for_url(re.compile("/accounts/login/"), timeout=PATIENCE_MS)


def tab_to(page: Page, selector: str) -> None:
    """Press Tab until the keyboard is there, as somebody without a mouse has to."""
    for _ in range(60):
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not lead to {selector}")


@pytest.mark.extended
def test_the_keyboard_alone_plays_a_whole_deal(page: Page) -> None:
    sign_up(page)
    sit_down_at_practice(page)
    wait_for_my_turn(page)

    tab_to(page, "#stock")
    page.keyboard.press("Enter")
    expect(own_cards(page)).to_have_count(14)
    tab_to(page, "#hand .card")
    page.keyboard.press("End")
    page.keyboard.press("Space")
    page.keyboard.press("d")
    expect(page.locator("#discard")).to_be_hidden()

    # Bots may end the deal meanwhile; whoever has another turn declares, rightly or wrongly.
    scored = page.locator("#last .deal-rows > li")
    expect(page.locator("#stock:enabled").or_(scored).first).to_be_attached(timeout=PATIENCE_MS)
    if scored.count() == 0:
        tab_to(page, "#open, #stock")
        page.keyboard.press("Enter")
        expect(own_cards(page)).to_have_count(14)
        tab_to(page, "#hand .card")
        page.keyboard.press("End")
        page.keyboard.press("Space")
        tab_to(page, "#declare")
        page.keyboard.press("Enter")
        tab_to(page, "#ask-yes")
        page.keyboard.press("Enter")

    see_the_scored_deal(page)


@pytest.mark.extended
def test_dragging_discards_and_a_wrong_show_is_warned_of_before_it_costs_the_cap(
    page: Page,
) -> None:
    sign_up(page)
    sit_down_at_practice(page)
    wait_for_my_turn(page)
    page.locator("#stock").click()
    expect(own_cards(page)).to_have_count(14)

    own_cards(page).last.drag_to(page.locator("#open"))
    expect(own_cards(page)).to_have_count(13)
    wait_for_my_turn(page)
    page.locator("#stock").click()
    expect(own_cards(page)).to_have_count(14)
    own_cards(page).last.click()
    page.get_by_role("button", name="Declare").click()
    expect(page.locator("#ask .warn")).to_contain_text("A wrong show costs 80 points.")
    page.locator("#ask").get_by_role("button", name="Declare").click()

    mine = page.locator("#last .deal-rows > li", has_text="You")
    expect(mine).to_contain_text("wrong show", timeout=PATIENCE_MS)
    expect(mine).to_contain_text("80, total 80")


@pytest.mark.extended
def test_a_move_whose_answer_was_lost_is_sent_again_and_counts_once(page: Page) -> None:
    sent: list[dict[str, Any]] = []

    def lose_the_first_answer(route: Route) -> None:
        sent.append(route.request.post_data_json)
        if len(sent) > 1:
            route.continue_()
            return
        route.fetch()  # The server has played it; the page never hears so.
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
