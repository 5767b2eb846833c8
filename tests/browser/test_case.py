"""A case from a player's report to the answer of staff."""

from __future__ import annotations

import re
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


def test_staff_take_question_and_answer_a_report(page: Page, site: Any) -> None:
    support, player = run_beside(site, "tests.browser.prepared_case", PASSWORD).split()
    page.set_viewport_size({"width": 1280, "height": 900})

    sign_in(page, support, "/admin/cases/")
    page.get_by_role("link", name=re.compile(r"dispute [0-9a-f]{6}")).first.click()
    expect(page.get_by_text("The clock ran twice as fast.")).to_be_visible()
    case = page.url
    page.get_by_role("button", name="Assign to me").click()
    expect(page.get_by_text("The case is assigned to you.")).to_be_visible()
    page.get_by_role("link", name="We are looking into it").click()
    page.get_by_role("button", name="Send to the player").click()
    expect(page.get_by_text("Thank you for writing.")).to_be_visible()

    sign_in(page, player, "/account/notices/")
    page.get_by_role("listitem").filter(has_text="You have a message from our staff").get_by_role(
        "link", name="Show details"
    ).click()
    expect(page.get_by_text("Thank you for writing.")).to_be_visible()
    page.get_by_label("Your answer").fill("It was the second deal.")
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text("Your answer has been sent.")).to_be_visible()

    sign_in(page, support, "/admin/cases/")
    expect(page.get_by_text("the player has answered").first).to_be_visible()
    page.goto(case)
    expect(page.get_by_text("It was the second deal.")).to_be_visible()
    page.get_by_label("Text").fill("It ran as it should; see the replay.")
    page.get_by_role("button", name="Answer and close").click()
    expect(page.get_by_text("closed", exact=True)).to_be_visible()
