"""A phone's player enters a tournament with a password, and enters again after an elimination."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import complaints
from tests.browser.beside import run_beside
from tests.browser.person import read_in, sign_up
from tests.browser.prepared_tournament import PASSWORD

pytestmark = [pytest.mark.browser, pytest.mark.extended]


def test_password_and_reentry_are_confirmed_on_a_phone(page: Page, site: Any) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    handle = sign_up(page)
    cup = run_beside(site, "tests.browser.prepared_tournament", "password", handle)
    page.goto(f"/tournaments/{cup}/")
    word = page.get_by_label("Password of the tournament")
    word.fill("guess")
    page.get_by_role("button", name="Register for 100 PTS").click()
    expect(page.get_by_text("This is not the password of the tournament.")).to_be_visible()
    word.fill(PASSWORD)
    with page.expect_response(f"**/tournaments/{cup}/"):
        pass  # The page refreshes itself every five seconds; the field stays.
    expect(word).to_have_value(PASSWORD)
    page.get_by_role("button", name="Register for 100 PTS").click()
    expect(page.get_by_text("You are registered.")).to_be_visible()

    cup = run_beside(site, "tests.browser.prepared_tournament", "reentry", handle)
    page.goto(f"/tournaments/{cup}/")
    pay = page.get_by_role("button", name="Pay 100 PTS and enter again")
    expect(pay).to_be_hidden()
    page.get_by_text("Enter again for 100 PTS").click()
    expect(page.get_by_text("The price includes a fee of 10 PTS")).to_be_visible()
    assert complaints(page) == []
    pay.click()
    expect(page.get_by_text("You have entered again and wait for a table.")).to_be_visible()
    expect(page.get_by_text("entry 2")).to_be_visible()

    read_in(page, site, "hi")
    page.goto(f"/tournaments/{cup}/")
    expect(page.get_by_text("बाहर होने पर दोबारा एंट्री")).to_be_visible()
