"""Every page under axe-core: nothing serious or critical, in light or dark."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser import places
from tests.browser.axe import complaints
from tests.browser.beside import run_beside
from tests.browser.person import PASSWORD, sign_in, sign_in_as, wait_for_my_turn

pytestmark = pytest.mark.browser

# Other languages have other widths and scripts.
IN_HINDI = ("lobby-stranger", "sign-up")
# One of each kind; `make soak` checks every page in the dark theme.
DARK_TOO = {"lobby", "rules-pool", "sign-in", "tournament", "wallet", "score-sheet", "replay"}
STAFF_DARK_TOO = {"today", "case", "player", "search", "report", "withdrawals", "correction"}


@pytest.fixture
def visitor(chromium: Any, site: Any) -> Iterator[Page]:
    """A phone without motion, and with the page's policy out of axe's way."""
    context = chromium.new_context(
        base_url=site.url,
        viewport={"width": 390, "height": 844},
        reduced_motion="reduce",
        bypass_csp=True,
    )
    yield context.new_page()
    context.close()


def judged(page: Page, addresses: dict[str, str], *, in_light: bool = True) -> dict[str, list[str]]:
    """Check pages in the light and some of them in the dark theme, or all in the dark alone."""
    bad = {}
    for name, address in addresses.items():
        page.goto(address)
        if found := complaints(page, in_light=in_light, in_dark=name in DARK_TOO or not in_light):
            bad[name] = found
    return bad


# A copy of the page has no top layer: dialogs are modal, the menu is a popover.
LAY_OPEN = """(hasMenu) => {
  for (const dialog of document.querySelectorAll("dialog[open]")) {
    dialog.close();
    dialog.showModal();
  }
  if (hasMenu) document.getElementById("menu").showPopover();
}"""


def judged_copies(page: Page, copies: dict[str, str]) -> dict[str, list[str]]:
    """Check copies of pages without scripts, because a turn may end before axe does."""
    page.route("**/*.js", lambda route: route.abort())
    bad = {}
    for name, html in copies.items():
        page.goto("/rules/")
        page.set_content(html)
        page.evaluate(LAY_OPEN, name == "menu open")
        if found := complaints(page):
            bad[name] = found
    page.unroute("**/*.js")
    return bad


def choose_light(page: Page) -> None:
    page.context.add_cookies([{"name": "theme", "value": "light", "url": page.url}])


@pytest.mark.extended
def test_public_pages_pass_axe(visitor: Page) -> None:
    visitor.goto("/")
    choose_light(visitor)

    assert judged(visitor, places.PUBLIC) == {}
    visitor.goto("/")
    visitor.locator(".language button").click()
    expect(visitor.locator("html")).to_have_attribute("lang", "hi")
    assert judged(visitor, {name: places.PUBLIC[name] for name in IN_HINDI}) == {}


@pytest.mark.extended
def test_player_pages_pass_axe(visitor: Page, site: Any) -> None:
    sign_in(visitor, site)
    choose_light(visitor)

    assert judged(visitor, places.OWN | dict(places.led_to(visitor))) == {}


@pytest.mark.extended
@pytest.mark.parametrize(
    "dark_too", [STAFF_DARK_TOO, pytest.param(places.STAFF, marks=pytest.mark.soak)]
)
def test_staff_pages_pass_axe(chromium: Any, site: Any, dark_too: Collection[str]) -> None:
    boss, case, player = run_beside(
        site, "tests.browser.prepared_staff", "payment", PASSWORD
    ).split()[::2]
    pages = places.STAFF | {
        "case": f"/admin/cases/players.helprequest/{case}/",
        "player": f"/admin/players/user/{player}/desk/",
    }
    bad = {}
    for scheme in ("light", "dark"):
        context = chromium.new_context(
            base_url=site.url,
            viewport={"width": 1366, "height": 768},
            color_scheme=scheme,
            reduced_motion="reduce",
            bypass_csp=True,
        )
        page = context.new_page()
        sign_in_as(page, boss, "/admin/")
        for name in pages if scheme == "light" else dark_too:
            page.goto(pages[name])
            if found := complaints(page, in_light=scheme == "light", in_dark=scheme == "dark"):
                bad[f"{name}, {scheme}"] = found
        context.close()

    assert bad == {}


@pytest.mark.soak
def test_every_page_passes_axe_in_the_dark_theme(visitor: Page, site: Any) -> None:
    assert judged(visitor, places.PUBLIC, in_light=False) == {}
    sign_in(visitor, site)
    own = places.OWN | dict(places.led_to(visitor))
    assert judged(visitor, own, in_light=False) == {}


@pytest.mark.extended
def test_card_table_and_history_pass_axe(visitor: Page) -> None:
    visitor.goto("/")
    choose_light(visitor)
    visitor.get_by_role("button", name="Play now").click()
    wait_for_my_turn(visitor)
    copies = {"with a hand": visitor.content()}
    visitor.locator("#stock").click()
    expect(visitor.locator("#hand .card")).to_have_count(14)
    visitor.locator("#hand .card").last.click()
    visitor.locator("#finish").click()
    expect(visitor.locator("#ask")).to_be_visible()
    copies["asking"] = visitor.content()
    visitor.get_by_role("button", name="Go back").click()
    visitor.locator("#pile-history").click()
    expect(visitor.locator("#pile-cards .card")).not_to_have_count(0)
    copies["open pile"] = visitor.content()
    visitor.get_by_role("button", name="Close").click()
    visitor.locator("#discard").click()
    visitor.locator("#menu-button").click()
    expect(visitor.locator("#menu")).to_be_visible()
    visitor.locator(".menu details").evaluate_all("all => all.map((each) => (each.open = true))")
    copies["menu open"] = visitor.content()
    visitor.locator("#menu .close").click()
    places.drop_a_deal(visitor)
    copies["after a deal"] = visitor.content()

    played = places.of_a_played_deal(visitor)

    assert judged_copies(visitor, copies) == {}
    assert judged(visitor, played) == {}
