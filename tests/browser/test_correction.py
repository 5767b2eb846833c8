"""A correction requested on a player's page, previewed and posted by a second person."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.beside import run_beside

pytestmark = [pytest.mark.browser, pytest.mark.extended, pytest.mark.timeout(300)]
PASSWORD = "marigold-felt-27"


def sign_in(page: Page, email: str, onward: str) -> None:
    page.context.clear_cookies()
    page.goto(f"/accounts/login/?next={onward}")
    page.get_by_label("Email").fill(email)
    page.get_by_label("Password").fill(PASSWORD)
    page.locator("main").get_by_role("button", name="Sign in").click()
    page.wait_for_url(f"**{onward}")


def pick(page: Page, field: str, typed: str, name: str) -> None:
    """Choose an account in a picker by typing a part of its name."""
    page.locator(f".field-{field} .select2-selection").click()
    page.locator(".select2-search__field").fill(typed)
    page.locator(".select2-results__option", has_text=name).first.click()


def approve(page: Page) -> None:
    """Press Approve for the pending correction; the preview page posts nothing yet."""
    page.goto("/admin/wallet/adjustment/?status__exact=requested")
    page.locator("#result_list tbody tr", has_text="Paid twice").first.locator(
        "input.action-select"
    ).check()
    page.locator("select[name=action]").select_option("approve")
    page.get_by_role("button", name="Run").click()


def test_second_person_posts_the_previewed_correction(page: Page, site: Any) -> None:
    prepared = run_beside(site, "tests.browser.prepared_correction", PASSWORD)
    maker, checker, handle, key = prepared.split()
    desk = f"/admin/players/user/{key}/desk/"
    page.set_viewport_size({"width": 1280, "height": 900})

    sign_in(page, maker, desk)
    winnings = page.get_by_role("region", name="Accounts").get_by_role("row", name="Winnings INR")
    winnings.get_by_role("link", name="deduct").click()
    # The page's account is in the form; the operator's account is picked by its name.
    expect(page.locator(".field-source .select2-selection")).to_contain_text(handle)
    pick(page, "target", "suspense", "Suspense INR")
    page.get_by_label("Amount").fill("2.04")
    page.get_by_label("Reason").fill("Paid twice")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("was added successfully").first).to_be_visible()
    approve(page)
    expect(page.get_by_text("checker_is_maker").first).to_be_visible()

    sign_in(page, checker, desk)
    approve(page)
    expect(page.get_by_role("heading", name="Nothing is posted yet")).to_be_visible()
    line = page.get_by_role("row").filter(has_text=handle)
    expect(line).to_contain_text("-₹2.04")
    expect(line).to_contain_text("₹10.30")
    page.get_by_role("link", name="Cancel").click()
    page.goto(desk)
    expect(winnings).to_contain_text("₹12.34")

    approve(page)
    page.get_by_role("button", name="Post these entries").click()
    expect(page.get_by_text("Approved and posted").first).to_be_visible()
    page.goto(desk)
    expect(winnings).to_contain_text("₹10.30")
