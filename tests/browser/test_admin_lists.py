"""Every list of the admin fits a laptop, and is cards on a phone; nothing scrolls sideways."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.beside import run_beside
from tests.browser.chromium import LANGUAGES
from tests.browser.person import PASSWORD, read_in, sign_in_as

pytestmark = [pytest.mark.browser, pytest.mark.extended]

SIZES = [(1366, 768), (390, 844)]
LISTS = """() => [...document.querySelectorAll("a[href^='/admin/']")]
    .map((link) => new URL(link.href).pathname)
    .filter((path) => /^\\/admin\\/[a-z]+\\/[a-z]+\\/$/.test(path))"""
# The page, and each table in the nearest box that clips or scrolls: by how many pixels it is too
# wide. Cells whose text is cut off.
TOO_WIDE = """() => {
  const over = (box) => box.scrollWidth - box.clientWidth;
  const clips = (box) => getComputedStyle(box).overflowX !== "visible";
  const tables = [...document.querySelectorAll("table")].filter((each) => each.checkVisibility());
  const boxes = tables.map((each) => {
    let box = each.parentElement;
    while (box.parentElement && !clips(box)) box = box.parentElement;
    return [each.id || each.caption?.innerText || "table", over(box)];
  });
  const wide = [["page", over(document.documentElement)], ...boxes].filter(([, px]) => px > 1);
  const cells = [...document.querySelectorAll("#result_list [data-label]")];
  const cut = cells.filter((each) => over(each) > 1 || each.scrollHeight - each.clientHeight > 1);
  return [...wide, ...new Set(cut.map((each) => `cut off: ${each.dataset.label}`))];
}"""


@pytest.mark.parametrize("language", LANGUAGES)
def test_lists_of_the_admin_fit_a_laptop_and_a_phone(
    page: Page, site: Any, language: str, record_property: Any
) -> None:
    for kind in ("bank", "case", "correction", "rows"):
        run_beside(site, "tests.browser.prepared_staff", kind, PASSWORD)
    boss, *_others = run_beside(site, "tests.browser.prepared_staff", "payment", PASSWORD).split()
    sign_in_as(page, boss, "/admin/")
    read_in(page, site, language)
    page.reload()

    lists = sorted(set(page.evaluate(LISTS)))
    bad, rows = {}, 0
    for path in lists:
        page.goto(path)
        expect(page.locator("#content, main").first).to_be_visible()
        rows += page.locator("#result_list tbody tr").count()
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            if wide := page.evaluate(TOO_WIDE):
                bad[f"{path} {width}"] = wide

    record_property("lists", len(lists))
    assert len(lists) >= 70
    assert rows >= 300
    assert bad == {}, f"of {len(lists)} lists"
