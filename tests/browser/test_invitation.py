"""The link of a private table: copied, shared, or shown as a QR code."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.person import sign_up

pytestmark = [pytest.mark.browser, pytest.mark.extended, pytest.mark.timeout(180)]


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
    page.get_by_role("button", name="Open the table").click()
    link = page.url

    page.get_by_role("button", name="Copy the link").click()
    expect(page.get_by_text("Copied.")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == link
    page.get_by_role("button", name="Share the link").click()
    assert link in page.evaluate("window.shared.text")
    page.get_by_text("QR code", exact=True).click()
    box = page.locator(".qr-code").bounding_box()
    assert box is not None
    assert (box["width"] >= 160, box["width"] == box["height"]) == (True, True)
    assert page.evaluate("document.documentElement.scrollWidth") <= 320

    page.get_by_role("button", name="Sit down").click()
    expect(page.locator("#table")).to_be_visible()
    page.get_by_role("link", name="Invite players").first.click()
    expect(page).to_have_url(link)
