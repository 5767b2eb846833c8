"""What every page shares: the navigation at the edge of phones, the header, the install button."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.person import prepared_pool, read_in, sign_up

pytestmark = [pytest.mark.browser, pytest.mark.extended]

UPRIGHT = [(320, 568), (360, 740), (390, 844)]
# Rotated phones, and a laptop.
WIDE = [(568, 320), (740, 360), (844, 390), (1366, 768)]
ROW_PX = 64  # One row that can be tapped, and the border.
TARGET_PX = 44

# Scrolled to the end: what is wrong with the header and the navigation.
FAULTS = """([isUpright, row, target]) => {
  scrollTo(0, document.documentElement.scrollHeight);
  const box = (each) => each.getBoundingClientRect();
  const nav = document.querySelector("nav.nav");
  const links = [...nav.querySelectorAll("a")];
  const parts = [...document.querySelectorAll("main, .foot")];
  const end = Math.max(...parts.map((part) => box(part).bottom));
  const isAtEdge = box(nav).bottom === innerHeight && end <= box(nav).top;
  scrollTo(0, 0);
  const wrong = {
    links: links.length !== 5,
    rows: document.querySelector(".bar-inner").offsetHeight > row,
    sideways: document.documentElement.scrollWidth > innerWidth,
    cut: links.some((link) => link.scrollWidth > link.clientWidth + 1),
    small: links.some((link) => box(link).height < target),
    outside: links.some((link) => box(link).left < 0 || box(link).right > innerWidth + 1),
    place: isUpright ? !isAtEdge : box(nav).bottom > row,
  };
  return Object.keys(wrong).filter((name) => wrong[name]);
}"""
OFFER = """() => {
  const offer = new Event("beforeinstallprompt", { cancelable: true });
  offer.prompt = async () => { window.asked = (window.asked ?? 0) + 1; };
  return dispatchEvent(offer);
}"""
IPHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 "
    "(KHTML, like Gecko) Version/17.0 Mobile/15E148 Safari/604.1"
)


def faults(page: Page, address: str) -> dict[str, Any]:
    page.goto(address)
    bad = {}
    for width, height in UPRIGHT + WIDE:
        page.set_viewport_size({"width": width, "height": height})
        asked = [(width, height) in UPRIGHT, ROW_PX, TARGET_PX]
        if found := page.evaluate(FAULTS, asked):
            bad[f"{address} {width}x{height}"] = found
    return bad


@pytest.mark.parametrize("language", ["en", "hi"])
def test_navigation_has_five_places_and_covers_nothing(
    page: Page, site: Any, language: str
) -> None:
    read_in(page, site, language)
    bad = faults(page, "/") | faults(page, "/rules/")
    page.goto("/")
    page.locator("form[action='/play/'] button").click()
    expect(page.locator("#table")).to_be_visible()
    for address in ("/lobby/", "/account/", "/history/"):
        bad |= faults(page, address)

    assert bad == {}


def test_card_table_has_no_navigation_over_the_hand(page: Page, site: Any) -> None:
    page.set_viewport_size({"width": 844, "height": 390})

    page.goto(prepared_pool(site, "rejoin", sign_up(page)))

    expect(page.locator("#table")).to_be_visible()
    expect(page.locator("nav.nav")).to_have_count(0)


def test_install_button_appears_when_the_browser_offers_it(page: Page) -> None:
    page.goto("/rules/")
    button = page.get_by_role("button", name="Install the app")
    expect(button).to_be_hidden()

    is_default = page.evaluate(OFFER)

    assert is_default is False  # The browser's own banner is not shown too.
    button.click()
    expect(button).to_be_hidden()
    page.wait_for_function("window.asked === 1")


def test_iphone_shows_how_to_install_the_site(chromium: Any, site: Any) -> None:
    phone = {"width": 390, "height": 844}
    context = chromium.new_context(base_url=site.url, viewport=phone, user_agent=IPHONE)
    page = context.new_page()
    page.goto("/rules/")

    page.get_by_role("button", name="Install the app").click()

    steps = page.get_by_role("dialog", name="Install the app")
    expect(steps).to_contain_text("Add to Home Screen")
    steps.get_by_role("button", name="Close").click()
    expect(steps).to_be_hidden()
    context.close()
