"""A clerk at work without an address typed: a report found, previewed and downloaded; a search."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.beside import run_beside
from tests.browser.person import PASSWORD, follow, sign_in_as

pytestmark = [pytest.mark.browser, pytest.mark.extended]


def test_a_clerk_downloads_gst_and_journal_of_a_month_by_clicks(page: Page, site: Any) -> None:
    boss, *_others = run_beside(site, "tests.browser.prepared_staff", "payment", PASSWORD).split()
    page.set_viewport_size({"width": 1366, "height": 768})
    sign_in_as(page, boss, "/admin/")

    follow(page.get_by_role("link", name="Reports", exact=True))
    for title, name, shown in (
        ("GST invoices", "gst-invoices", "317.00"),
        ("Journal", "journal", "gateway:"),
    ):
        follow(page.get_by_role("link", name=title))
        follow(page.get_by_role("link", name="This month"))
        preview = page.get_by_role("region", name=f"{title},").first
        expect(preview.get_by_role("row").nth(1)).to_be_visible()  # Of others, if they are many.
        page.get_by_label("Format").select_option("csv")
        with page.expect_download() as file:
            page.get_by_role("button", name="Download").click()
        downloaded = Path(file.value.path()).read_text()
        assert downloaded.startswith(f"# report,{name}\n")
        assert shown in downloaded
        follow(page.get_by_role("link", name="All reports"))


def test_a_clerk_sees_an_empty_report_and_finds_a_player_by_clicks(page: Page, site: Any) -> None:
    prepared = run_beside(site, "tests.browser.prepared_staff", "correction", PASSWORD)
    clerk, _checker, handle, key = prepared.split()
    page.set_viewport_size({"width": 1366, "height": 768})
    sign_in_as(page, clerk, "/admin/")

    follow(page.get_by_role("link", name="Reports", exact=True))
    follow(page.get_by_role("link", name="Tournaments", exact=False).last)
    follow(page.get_by_role("link", name="Last financial year"))
    expect(page.get_by_text("Choose another period.")).to_be_visible()

    page.get_by_role("searchbox").fill(handle)
    page.keyboard.press("Enter")
    people = page.get_by_role("region", name="People")
    expect(people.get_by_role("link", name=handle)).to_be_visible()
    expect(page.get_by_role("region", name="Transfers")).to_contain_text("₹12.34")
    assert people.get_by_role("link", name=handle).get_attribute("href") == (
        f"/admin/players/user/{key}/desk/"
    )
