"""Pages with figures and forms on phones: no horizontal scrolling, no cut text, both languages."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.chromium import LANGUAGES
from tests.browser.person import (
    own_cards,
    prepared_pool,
    read_in,
    sign_up,
    sit_down_at_practice,
    wait_for_my_turn,
)
from tests.browser.table_boxes import resize
from tests.builders.processes.product import CHECKOUT

pytestmark = [pytest.mark.browser, pytest.mark.extended]

PHONES = [(320, 568), (360, 740), (390, 844)]
HEADER_PX = 64  # One row that can be tapped, and the border.

# The page and its boxes, how high its header is, and lists of one day: in one row, and legible.
FAULTS = """() => {
  const right = (each) => each.getBoundingClientRect().right;
  const wide = [document.documentElement, ...document.querySelectorAll(".scroll-x")]
    .filter((each) => each.scrollWidth > each.clientWidth + 1)
    .map((each) => `${each.tagName} ${each.id} ${each.scrollWidth} > ${each.clientWidth}`);
  const out = [...document.querySelectorAll(".panel :is(input, select, li, .button)")]
    .filter((each) => each.checkVisibility() && !each.matches(".visually-hidden"))
    .filter((each) => right(each) > right(each.closest(".panel")))
    .map((each) => `${each.tagName} ${each.id} sticks out`);
  const days = [...document.querySelectorAll("select + select")]
    .filter((list) => list.offsetTop !== list.previousElementSibling.offsetTop)
    .map((list) => `${list.id} stands below`);
  const pen = document.createElement("canvas").getContext("2d");
  const cut = [...document.querySelectorAll("select:has(+ select), select + select")]
    .filter((list) => {
      const style = getComputedStyle(list);
      pen.font = style.font;
      const padding = parseFloat(style.paddingLeft) + parseFloat(style.paddingRight);
      return pen.measureText(list.selectedOptions[0].text).width > list.clientWidth - padding;
    })
    .map((list) => `${list.id} is cut`);
  const header = document.querySelector("header.bar")?.offsetHeight ?? 0;
  return [...wide, ...out, ...days, ...cut, ...(header > %d ? [`a header of ${header} px`] : [])];
}"""
# Put each reason into the label of a group of so many cards; return those that do not fit.
TOO_LONG = """([count, reasons]) => {
  const groups = [...document.querySelectorAll("#hand .group[data-group]")];
  const group = groups.find((each) => each.querySelectorAll(".card").length === count);
  const label = group.querySelector(".label");
  return reasons.filter((reason) => {
    const [points, why] = ["30", `· ${gettext(reason)}`].map((text) => {
      const part = document.createElement("span");
      part.textContent = text;
      return part;
    });
    label.replaceChildren(points, why);
    return why.offsetTop !== points.offsetTop || why.scrollWidth > why.clientWidth;
  });
}"""


def reasons() -> list[str]:
    """Return the reasons the page gives for cards that are no group, in English."""
    source = (CHECKOUT / "static/js/table/groups.js").read_text()
    body = source.partition("export function whyNoGroup")[2].partition("\n}\n")[0]
    return re.findall(r'gettext\("(.+?)"\)', body)


@pytest.mark.parametrize("language", LANGUAGES)
def test_pages_with_figures_fit_phones(page: Page, site: Any, language: str) -> None:
    handle = sign_up(page)
    tournament = page.request.get("/api/v1/tournaments/").json()["results"][0]["id"]
    split = prepared_pool(site, "split", handle)
    over = prepared_pool(site, "over", handle)
    read_in(page, site, language)

    bad: dict[str, list[str]] = {}

    def look_at(address: str) -> None:
        for width, height in PHONES:
            resize(page, width, height)
            bad[f"{address} {width}"] = page.evaluate(FAULTS % HEADER_PX)

    for address in (prepared_pool(site, "rejoin", handle), split):
        page.goto(address)
        expect(page.locator("#prompt-rows table")).to_be_visible()
        look_at(address)
    for address in (
        split.replace("/tables/", "/history/"),
        over.replace("/tables/", "/history/"),
        "/rules/",
        "/rules/total-rummy-pool-101/",
        "/rules/split/",
        "/lobby/",
        f"/tournaments/{tournament}/",
        f"/tournaments/{tournament}/standings/",
        "/history/",
        "/wallet/statement/",
        "/wallet/limits/",
    ):
        page.goto(address)
        look_at(address)

    assert {address: found for address, found in bad.items() if found} == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_guest_header_has_one_row_on_phones(page: Page, site: Any, language: str) -> None:
    page.goto("/")
    page.get_by_role("button", name="Play now").click()
    expect(page.locator("#table")).to_be_visible()
    read_in(page, site, language)
    page.goto("/lobby/")

    bad = {}
    for width, height in PHONES:
        resize(page, width, height)
        bad[width] = page.evaluate(FAULTS % HEADER_PX)
        words = "links => links.filter((link) => link.scrollWidth > link.clientWidth).length"
        assert page.locator(".nav a:visible").evaluate_all(words) == 0, width

    assert {width: found for width, found in bad.items() if found} == {}
    page.locator("header .keep").click()
    page.get_by_role("main").get_by_role("link", name=re.compile("My account|मेरा खाता")).click()
    expect(page).to_have_url(re.compile("/account/$"))


def test_scripts_use_the_language_just_chosen(page: Page, site: Any) -> None:
    page.goto(prepared_pool(site, "rejoin", sign_up(page)))
    expect(page.locator("#prompt-title")).to_have_text("Rejoin?")

    read_in(page, site, "hi")
    page.reload()

    expect(page.locator("#prompt-title")).to_have_text("रीजॉइन?")


@pytest.mark.parametrize("language", LANGUAGES)
def test_reasons_below_groups_fit_phones(page: Page, site: Any, language: str) -> None:
    sign_up(page)
    sit_down_at_practice(page)
    wait_for_my_turn(page)
    read_in(page, site, language)
    page.reload()
    expect(own_cards(page)).to_have_count(13)
    # First and last are never one whole group, which could not be grouped again.
    held = [card.get_attribute("data-key") for card in own_cards(page).all()]
    pair = [held[0], held[12]]
    others = [key for key in held if key not in pair]
    for chosen in (pair, [others[0], others[5], others[10]]):
        for key in chosen:
            page.locator(f'#hand [data-key="{key}"]').click()
        page.locator("#group").click()
        expect(page.locator(f'#hand [data-group]:has([data-key="{chosen[0]}"])')).to_be_visible()
    of_two, of_three = reasons()[:2], reasons()[2:]

    bad = {}
    for width, height in PHONES:
        resize(page, width, height)
        for asked in ([2, of_two], [3, of_three]):
            bad[width, asked[0]] = page.evaluate(TOO_LONG, asked)

    assert len(of_three) >= 5
    assert {size: found for size, found in bad.items() if found} == {}
