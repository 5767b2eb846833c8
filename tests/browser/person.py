"""Actions of a player in a browser."""

from __future__ import annotations

import re
from typing import Any
from uuid import uuid4

from playwright.sync_api import Locator, Page, expect

from tests.browser.beside import run_beside

# A game starts after its countdown, and bots take turns in between.
PATIENCE_MS = 60_000

PASSWORD = "marigold-felt-27"

PLAY_ELSEWHERE = """async (move) => {
  const { api, view } = document.getElementById("table").dataset;
  const { version } = await (await fetch(view)).json();
  const token = document.cookie.match(/csrftoken=([^;]+)/)[1];
  const body = { move_id: crypto.randomUUID(), expected_version: version, move };
  const headers = { "Content-Type": "application/json", "X-CSRFToken": token };
  const sent = { method: "POST", headers, body: JSON.stringify(body) };
  return (await fetch(`${api}moves/`, sent)).status;
}"""

# More than a pool has if its player drops or loses every deal.
DEALS_MAX = 20


def follow(control: Locator) -> None:
    """Click a link or a form's button and wait until the page it leads to is loaded.

    Before reading this page or opening another: a click alone may return before the answer.
    """
    with control.page.expect_navigation():
        control.click()


def sign_in(page: Page, site: Any) -> None:
    page.goto("/accounts/login/")
    page.get_by_label("Email").fill(site.player.email)
    page.get_by_label("Password").fill(site.player.password)
    page.locator("main").get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Lobby")).to_be_visible()


def sign_in_as(page: Page, email: str, onward: str, *, password: str = PASSWORD) -> None:
    """Sign in as another person, and go to this address."""
    page.context.clear_cookies()
    page.goto(f"/accounts/login/?next={onward}")
    page.get_by_label("Email").fill(email)
    page.get_by_label("Password").fill(password)
    page.locator("main").get_by_role("button", name="Sign in").click()
    page.wait_for_url(f"**{onward}")


def read_in(page: Page, site: Any, language: str) -> None:
    """Choose the language of the pages loaded from now on."""
    cookie: Any = {"name": "django_language", "value": language, "url": site.url}
    page.context.add_cookies([cookie])


def sign_up(page: Page) -> str:
    """Make a new account without typing, go to the lobby, and return its handle."""
    handle, address = f"p{uuid4().hex[:12]}", "/accounts/signup/"
    form = page.request.get(address).text()
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', form)
    assert token
    fields = {"email": f"{handle}@players.example", "handle": handle, "password1": PASSWORD}
    page.request.post(
        address,
        form={**fields, "csrfmiddlewaretoken": token[1]},
        max_redirects=0,
    )
    page.goto("/lobby/")
    expect(page.get_by_role("heading", name="Lobby")).to_be_visible()
    return handle


def fill_in_sign_up(page: Page, *, mobile: str = "") -> str:
    """Do the same on the page."""
    handle = f"p{uuid4().hex[:12]}"
    page.goto("/accounts/signup/")
    page.get_by_label("Email").fill(f"{handle}@players.example")
    page.get_by_label("Player name").fill(handle)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_label("Mobile number").fill(mobile)
    page.get_by_role("button", name="Sign up").click()
    expect(page.get_by_role("heading", name="Lobby")).to_be_visible()
    return handle


def sit_down_at_practice(page: Page) -> None:
    """Take a seat against one bot, the fastest way to a deal."""
    for _ in range(3):  # Another test's player may take the seat first.
        row = page.locator(".table-row", has_text="Practice duel").last
        follow(row.get_by_role("button", name=re.compile("Join for")))
        if page.locator("#table").count():
            break
        page.goto("/lobby/")
    expect(page.locator("#table")).to_be_visible()


def wait_for_my_turn(page: Page) -> None:
    """Wait until the player may draw; if a bot shows before that, send the groups as arranged."""
    stock, send = page.locator("#stock:enabled"), page.locator("#send:visible")
    for _ in range(DEALS_MAX):
        expect(stock.or_(send)).to_be_visible(timeout=PATIENCE_MS)
        if stock.is_visible():
            return
        send.click()
        expect(send).to_be_hidden()
    raise AssertionError("the bots showed in every deal before it was one's turn")


def own_cards(page: Page) -> Any:
    return page.locator("#hand .card")


def drop(page: Page) -> int:
    """Drop at the player's turn; return the cost shown on the page."""
    button = page.get_by_role("button", name=re.compile(r"^Drop \("))
    points = int(re.sub(r"\D", "", button.inner_text()))
    button.click()
    expect(page.locator("#ask")).to_contain_text(f"It costs {points} points.")
    page.locator("#ask").get_by_role("button", name="Drop").click()
    return points


def deal_on(page: Page) -> int:
    """Return the number of the deal on the page; no bot can end it during the player's turn."""
    return int(page.locator("#subtitle").inner_text().split()[-1])


def is_scored(page: Page, number: int) -> Any:
    """Return the link to the last replay, once this deal or a later one is scored."""
    scored = ", ".join(f"#replay-link[href$='/{no}/']" for no in range(number, number + DEALS_MAX))
    return page.locator(scored)


def see_it_scored(page: Page, number: int) -> str:
    """Wait until the deal is scored, and return the address of its replay.

    Bots may have ended later deals meanwhile: a deal is looked up by its number.
    """
    link = is_scored(page, number)
    expect(link).to_be_attached(timeout=2 * PATIENCE_MS)
    return re.sub(r"\d+/$", f"{number}/", link.get_attribute("href") or "")


def play_a_card(page: Page) -> int:
    """Draw at the player's turn, discard, and return the number of the deal."""
    wait_for_my_turn(page)
    number = deal_on(page)
    expect(own_cards(page)).to_have_count(13)
    page.locator("#stock").click()
    expect(own_cards(page)).to_have_count(14)
    own_cards(page).last.click()
    page.get_by_role("button", name="Discard").click()
    expect(page.locator("#discard")).to_be_disabled()
    return number


def play_elsewhere(page: Page, move: str) -> int:
    """Send a move as another tab or program would; return the status of the response."""
    return page.evaluate(PLAY_ELSEWHERE, move)


def prepared_pool(site: Any, kind: str, *handles: str) -> str:
    """Bring a pool of these players to a question, a gap or its end; return the table's address."""
    return f"/tables/{run_beside(site, 'tests.browser.prepared_pool', kind, *handles)}/"
