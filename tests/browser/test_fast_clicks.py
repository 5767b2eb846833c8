"""Clicks faster than the network: the last one counts, and htmx swaps lose none."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.person import (
    PATIENCE_MS,
    drop,
    is_scored,
    play_a_card,
    see_it_scored,
    sign_up,
    sit_down_at_practice,
)

pytestmark = [pytest.mark.browser, pytest.mark.extended, pytest.mark.timeout(240)]


class Held:
    """Requests held back from the server until a test releases them."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.routes: dict[str, Route] = {}
        self.names: set[str] = set()

    @contextmanager
    def hold(self, name: str, address: re.Pattern[str]) -> Iterator[None]:
        """Hold the next request to this address, made in the block, under this name."""

        # The route stays: removing the last one would release the held requests.
        def keep(route: Route) -> None:
            if name in self.names:
                route.continue_()
            else:
                self.names.add(name)
                self.routes[name] = route

        self.page.route(address, keep)
        with self.page.expect_request(address):
            yield

    def let_go(self, name: str) -> None:
        self.routes.pop(name).continue_()


@pytest.fixture
def held(page: Page) -> Held:
    return Held(page)


@pytest.fixture
def replay(page: Page) -> str:
    """Open the first step of a deal just played, which has at least two steps."""
    sign_up(page)
    sit_down_at_practice(page)
    number = play_a_card(page)
    # The bot's next move may end this deal.
    ended = is_scored(page, number)
    expect(page.locator("#stock:enabled").or_(ended).first).to_be_attached(timeout=PATIENCE_MS)
    if ended.count() == 0:
        drop(page)
    address = see_it_scored(page, number)
    page.goto(address)
    expect(page.locator(".where")).to_contain_text("Step 0 of")
    return address


def point_at(control: Locator) -> tuple[float, float]:
    """Return the middle of a control in view; a mouse does not wait like a locator."""
    control.scroll_into_view_if_needed()
    box: Any = control.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


@pytest.mark.soak
def test_dispute_link_clicked_during_a_loading_step_is_followed(
    page: Page, replay: str, held: Held
) -> None:
    page.set_viewport_size({"width": 390, "height": 2400})
    step = point_at(page.get_by_role("link", name="Next step"))
    dispute = point_at(page.get_by_role("link", name="Open a dispute"))

    with held.hold("step", re.compile(r"/\d+/1/$")):
        page.mouse.click(*step)
    # The browser cancels the step for the dispute, so its page cannot be shown any more.
    with (
        page.expect_event("requestfailed", lambda asked: asked.url.endswith("/1/")),
        held.hold("dispute", re.compile(r"/dispute/$")),
    ):
        page.mouse.click(*dispute)
    held.let_go("step")
    held.let_go("dispute")

    expect(page.get_by_label("What is it about?")).to_be_visible(timeout=PATIENCE_MS)
    expect(page).to_have_url(re.compile(r"/\d+/0/dispute/$"))


@pytest.mark.soak
def test_later_of_two_step_clicks_counts(page: Page, replay: str, held: Held) -> None:
    step = point_at(page.get_by_role("link", name="Next step"))
    last = point_at(page.get_by_role("link", name="Last step"))

    with held.hold("next", re.compile(r"/\d+/1/$")):
        page.mouse.click(*step)
    page.mouse.click(*last)
    scored = page.get_by_role("heading", name="Scoring")
    expect(scored).to_be_visible(timeout=PATIENCE_MS)
    held.let_go("next")

    expect(scored).to_be_visible()
    expect(page).not_to_have_url(re.compile(r"/\d+/1/$"))
    expect(page.locator("#step-last")).to_have_count(0)


def test_button_pressed_during_an_htmx_swap_works(page: Page) -> None:
    sign_up(page)
    join = page.locator(".table-row", has_text="Practice duel").last.get_by_role("button")
    page.mouse.move(*point_at(join))
    page.mouse.down()
    with page.expect_response(re.compile(r"/lobby/$")) as renewal:
        pass
    renewal.value.finished()
    page.evaluate("new Promise(requestAnimationFrame)")
    page.mouse.up()

    expect(page.locator("#table")).to_be_visible(timeout=PATIENCE_MS)


def test_link_pressed_while_the_table_is_redrawn_is_followed(page: Page) -> None:
    sign_up(page)
    page.get_by_text("Open a private table").click()
    page.get_by_role("button", name="Open the table").click()
    invitation = page.url
    with page.expect_websocket() as opened:
        page.get_by_role("button", name="Sit down").click()
    invite = page.locator("#stage").get_by_role("link", name="Invite players")
    expect(invite).to_be_visible(timeout=PATIENCE_MS)
    page.mouse.move(*point_at(invite))
    page.mouse.down()
    with opened.value.expect_event("framereceived"):
        page.evaluate("dispatchEvent(new Event('online'))")
    page.evaluate("new Promise(requestAnimationFrame)")
    page.mouse.up()

    expect(page).to_have_url(invitation)
