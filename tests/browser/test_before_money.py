"""From a new account through the checklist and a deposit to a seat for money."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.beside import run_beside
from tests.browser.person import PATIENCE_MS, follow, sign_up

pytestmark = [pytest.mark.browser, pytest.mark.extended]


def test_new_account_completes_the_checklist_deposits_and_takes_a_seat(
    page: Page, site: Any
) -> None:
    handle = sign_up(page)
    page.get_by_role("link", name="Real money (₹)").click()
    duel = page.locator(".table-row", has_text="Duel 101 for ₹50")
    expect(duel).to_contain_text("₹90")  # The prize, however many are seated.
    duel.get_by_role("link", name="Complete 3 steps").click()
    checklist = page.locator("#checklist")
    expect(checklist.locator(".is-done")).to_have_count(1)

    checklist.get_by_role("link", name="Say where you live").click()
    page.get_by_label("Country").select_option("IN")
    page.get_by_label("State or region").select_option("KA")
    page.get_by_role("button", name="Save").click()
    checklist.get_by_role("link", name="Enter your birth date").click()
    page.get_by_label("Birth date").fill("1990-05-17")
    page.get_by_role("button", name="Save").click()
    expect(page).to_have_url(re.compile(r"/lobby/\?currency=INR"))
    expect(checklist.locator(".is-done")).to_have_count(3)
    run_beside(site, "tests.browser.prepared_email", handle)

    # The open page follows by itself.
    join = duel.get_by_role("button", name="Join for ₹50")
    expect(join).to_be_visible(timeout=PATIENCE_MS)
    page.goto("/wallet/deposit/")
    page.get_by_role("button", name="₹100", exact=True).click()
    page.get_by_role("button", name="Continue to payment").click()
    page.get_by_role("link", name="Go to the payment page").click()
    follow(page.get_by_role("button", name="Pay", exact=True))
    page.goto("/lobby/?currency=INR")
    join.click()

    expect(page.locator("#prize")).to_have_text("₹90.00")
    expect(page.locator("#table")).to_be_visible()
