"""Two members of finance and one withdrawal: the requester cannot approve it, a colleague can."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.beside import run_beside

pytestmark = [pytest.mark.browser, pytest.mark.extended, pytest.mark.timeout(300)]

PASSWORD = "marigold-felt-27"
DESK = {"width": 1280, "height": 900}


def prepared_withdrawal(site: Any) -> list[str]:
    """Return the addresses of the requester, of two colleagues, and of the player."""
    return run_beside(site, "tests.browser.prepared_withdrawal", PASSWORD).split()


def sign_in(page: Page, email: str, onward: str, *, password: str = PASSWORD) -> None:
    page.context.clear_cookies()
    page.goto(f"/accounts/login/?next={onward}")
    page.get_by_label("Email").fill(email)
    page.get_by_label("Password").fill(password)
    page.locator("main").get_by_role("button", name="Sign in").click()
    page.wait_for_url(f"**{onward}")


def open_queue(page: Page, figure: str) -> None:
    """Go from the dashboard to a list by its figure."""
    page.goto("/admin/")
    page.locator("a.figure", has_text=figure).click()
    expect(page.locator("#result_list")).to_be_visible()


def act(page: Page, player: str, action: str, remark: str = "") -> None:
    """Run an action on the player's withdrawal."""
    row = page.locator("#result_list tr", has_text=player.partition("@")[0])
    row.locator("input.action-select").check()
    page.locator("select[name=action]").select_option(action)
    if remark:
        page.locator("input[name=remark]").fill(remark)
    page.get_by_role("button", name="Run").click()


def test_dashboard_figure_links_to_its_queue(page: Page, site: Any) -> None:
    page.set_viewport_size(DESK)
    sign_in(page, site.staff.email, "/admin/", password=site.staff.password)

    page.locator("a.figure", has_text="Withdrawals to decide").click()

    expect(page).to_have_url(re.compile(r"/admin/wallet/withdrawal/\?"))


def test_second_person_approves_and_the_bank_file_is_made(page: Page, site: Any) -> None:
    page.set_viewport_size(DESK)
    maker, checker, payer, player = prepared_withdrawal(site)

    sign_in(page, maker, "/admin/")
    open_queue(page, "Withdrawals to decide")
    act(page, player, "approve")
    expect(page.get_by_text("Another person must handle this withdrawal.")).to_be_visible()

    sign_in(page, checker, "/admin/")
    open_queue(page, "Withdrawals to decide")
    page.locator("#result_list tbody th a").first.click()
    reason = page.get_by_label("Reason for a rejection")
    expect(reason).not_to_have_css("border-top-width", "0px")  # The skin takes borders away.
    page.go_back()
    act(page, player, "approve")

    sign_in(page, payer, "/admin/")
    open_queue(page, "Withdrawals to pay")
    act(page, player, "send_to_bank")
    with page.expect_download() as file:
        page.get_by_role("link", name="CSV").first.click()
    assert "Asha Rao,001234567890,HDFC0001234" in Path(file.value.path()).read_text()
    open_queue(page, "Withdrawals to pay")
    act(page, player, "mark_paid", "UTR 4711")

    sign_in(page, player, "/wallet/withdrawals/")
    expect(page.get_by_text("Paid: UTR 4711")).to_be_visible()

    sign_in(page, checker, "/admin/core/auditentry/")
    for kind, what in (
        ("withdrawal", "approve"),
        ("payout batch", "send to bank"),
        ("payout batch", "take file"),
        ("withdrawal", "note paid"),
    ):
        rows = page.locator("#result_list tr", has_text=kind)
        expect(rows.get_by_role("cell", name=what, exact=True).first).to_be_visible()
