"""A player downloads their own data and closes the account, to the end."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.beside import run_beside
from tests.browser.person import PASSWORD, sign_up

pytestmark = [pytest.mark.browser, pytest.mark.extended]


def test_player_downloads_their_data_and_closes_the_account(page: Page, site: Any) -> None:
    handle = sign_up(page)
    run_beside(site, "tests.browser.prepared_pool", "over", handle)
    page.goto("/account/")
    page.get_by_role("link", name="Your data").click()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download my data").click()

    data = json.loads(Path(download.value.path()).read_text())
    assert data["profile"]["handle"] == handle
    assert len(data["games"]) == 1
    assert data["statement"]

    page.get_by_role("link", name="Close the account").click()
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Confirm").click()
    page.get_by_role("button", name="Close my account permanently").click()
    expect(page.locator("main")).to_contain_text("Your account is closed")

    page.goto("/account/")
    page.get_by_label("Email").fill(f"{handle}@players.example")
    page.get_by_label("Password").fill(PASSWORD)
    page.locator("main").get_by_role("button", name="Sign in").click()
    expect(page.locator(".errorlist, [role=alert]").first).to_be_visible()
