"""The link of a private table: copied, shared, or shown as a QR code."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from playwright.sync_api import Page, expect

from tests.browser.person import PASSWORD, PATIENCE_MS, follow, own_cards, sign_up

pytestmark = [pytest.mark.browser, pytest.mark.extended]


def test_private_table_link_is_copied_shared_and_shown_as_qr_code(page: Page, site: Any) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=site.url)
    # The device's own share dialog is replaced.
    page.add_init_script(
        "Object.defineProperty(navigator, 'share',"
        " { value: async (content) => { window.shared = content; } })"
    )
    page.set_viewport_size({"width": 320, "height": 568})
    sign_up(page)
    page.get_by_text("Open a private table").click()
    follow(page.get_by_role("button", name="Open the table"))
    link = page.url

    page.get_by_role("button", name="Copy the link").click()
    expect(page.get_by_text("Copied.")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == link
    page.get_by_role("button", name="Share the link").click()
    page.wait_for_function("link => window.shared?.text.includes(link)", arg=link)
    page.get_by_text("QR code", exact=True).click()
    expect(page.locator(".qr-code")).to_be_visible()
    box = page.locator(".qr-code").bounding_box()
    assert box is not None
    assert (box["width"] >= 160, box["width"] == box["height"]) == (True, True)
    assert page.evaluate("document.documentElement.scrollWidth") <= 320

    page.get_by_role("button", name="Sit down").click()
    expect(page.locator("#table")).to_be_visible()
    page.get_by_role("link", name="Invite players").first.click()
    expect(page).to_have_url(link)


def test_stranger_plays_by_an_invitation_as_a_guest_and_keeps_the_account(
    page: Page, other_page: Page
) -> None:
    host = sign_up(other_page)
    other_page.get_by_text("Open a private table").click()
    other_page.get_by_label("Kind of table").select_option("best-of-3-points")
    follow(other_page.get_by_role("button", name="Open the table"))
    link = other_page.url
    other_page.get_by_role("button", name="Sit down").click()
    expect(other_page.locator("#table")).to_be_visible()

    page.goto(link)
    expect(page.get_by_text(f"{host} invites you to play rummy")).to_be_visible()
    expect(page.get_by_text("1 of 2 seats taken")).to_be_visible()
    page.get_by_role("button", name="Play now as a guest").click()

    wait_for_a_hand(page)
    wait_for_a_hand(other_page)
    table = page.url
    page.goto("/lobby/")
    page.get_by_role("link", name="Keep this account").click()
    handle = f"k{uuid4().hex[:10]}"
    page.get_by_label("Email").fill(f"{handle}@players.example")
    page.get_by_label("Player name").fill(handle)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Keep this account").click()
    expect(page.get_by_text("Your account is registered")).to_be_visible()
    expect(page.locator(".table-row.mine")).to_have_count(1)
    page.goto(link)  # The game runs: its link leads the seated player back.
    expect(page).to_have_url(table)
    expect(own_cards(page)).not_to_have_count(0)
    other_page.reload()
    expect(other_page.locator(f"#seats [data-handle='{handle}'] img")).to_be_visible()


def wait_for_a_hand(page: Page) -> None:
    expect(own_cards(page)).not_to_have_count(0, timeout=PATIENCE_MS)
