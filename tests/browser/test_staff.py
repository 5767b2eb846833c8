"""Staff at work: a case, a correction and a withdrawal, each by the people it needs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.beside import run_beside
from tests.browser.person import PASSWORD, follow, sign_in_as

pytestmark = [pytest.mark.browser, pytest.mark.extended]

DESK: Any = {"width": 1280, "height": 900}


def test_staff_take_question_and_answer_a_report(page: Page, site: Any) -> None:
    prepared = run_beside(site, "tests.browser.prepared_staff", "case", PASSWORD)
    support, player, key = prepared.split()
    page.set_viewport_size(DESK)

    sign_in_as(page, support, "/admin/cases/")
    page.locator(f"#main a[href$='/tables.dispute/{key}/']").first.click()
    expect(page.get_by_text("The clock ran twice as fast.")).to_be_visible()
    case = page.url
    page.get_by_role("button", name="Assign to me").click()
    expect(page.get_by_text("The case is assigned to you.")).to_be_visible()
    page.get_by_role("link", name="We are looking into it").click()
    page.get_by_role("button", name="Send to the player").click()
    expect(page.get_by_text("Thank you for writing.")).to_be_visible()

    sign_in_as(page, player, "/account/notices/")
    page.get_by_role("listitem").filter(has_text="You have a message from our staff").get_by_role(
        "link", name="Show details"
    ).click()
    expect(page.get_by_text("Thank you for writing.")).to_be_visible()
    page.get_by_label("Your message").fill("It was the second deal.")
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text("Your message has been sent.")).to_be_visible()

    sign_in_as(page, support, "/admin/cases/")
    expect(page.get_by_text("the player has answered").first).to_be_visible()
    page.goto(case)
    expect(page.get_by_text("It was the second deal.")).to_be_visible()
    page.get_by_label("Text").fill("It ran as it should; see the replay.")
    page.get_by_role("button", name="Answer and close").click()
    expect(page.get_by_text("closed", exact=True)).to_be_visible()


def test_admin_finds_a_payment_by_its_amount_and_answers_the_case(page: Page, site: Any) -> None:
    prepared = run_beside(site, "tests.browser.prepared_staff", "payment", PASSWORD)
    boss, handle, case, order, _key = prepared.split()
    page.set_viewport_size({"width": 1366, "height": 768})

    sign_in_as(page, boss, "/admin/")
    page.get_by_role("searchbox").fill("₹317")
    page.keyboard.press("Enter")
    hit = page.get_by_role("region", name="Deposits").get_by_role("listitem").filter(has_text=order)
    expect(hit).to_contain_text("₹317.00")
    hit.get_by_role("link", name=handle).click()
    expect(page.get_by_text(order)).to_be_visible()

    page.locator("nav, aside").get_by_role("link", name="Cases").first.click()
    page.locator(f"a[href$='/players.helprequest/{case}/']").click()
    expect(page.get_by_text("I paid today and cannot see it.")).to_be_visible()
    page.get_by_role("link", name="Deposit").last.click()  # The attached transfer.
    expect(page.get_by_text(order).first).to_be_visible()
    page.go_back()
    page.get_by_label("Text").fill("It is in your wallet: ₹317.00.")
    page.get_by_role("button", name="Answer and close").click()
    expect(page.get_by_text("closed", exact=True)).to_be_visible()

    sign_in_as(page, f"{handle}@example.com", "/account/messages/")
    page.get_by_role("link", name="Where is my deposit?").click()
    expect(page.get_by_text("It is in your wallet: ₹317.00.")).to_be_visible()


def pick(page: Page, field: str, typed: str, name: str) -> None:
    """Choose an account in a picker by typing a part of its name."""
    page.locator(f".field-{field} .select2-selection").click()
    page.locator(".select2-search__field").fill(typed)
    page.locator(".select2-results__option", has_text=name).first.click()
    expect(page.locator(f".field-{field} .select2-selection")).to_contain_text(name)


def approve_correction(page: Page) -> None:
    """Press Approve for the pending correction; the preview page posts nothing yet."""
    page.goto("/admin/wallet/adjustment/?status__exact=requested")
    page.locator("#result_list tbody tr", has_text="Paid twice").first.locator(
        "input.action-select"
    ).check()
    page.locator("select[name=action]").select_option("approve")
    follow(page.get_by_role("button", name="Run"))


def test_second_person_posts_the_previewed_correction(page: Page, site: Any) -> None:
    prepared = run_beside(site, "tests.browser.prepared_staff", "correction", PASSWORD)
    maker, checker, handle, key = prepared.split()
    desk = f"/admin/players/user/{key}/desk/"
    page.set_viewport_size(DESK)

    sign_in_as(page, maker, desk)
    winnings = page.get_by_role("region", name="Accounts").get_by_role("row", name="Winnings INR")
    winnings.get_by_role("link", name="deduct").click()
    # The page's account is in the form; the operator's account is picked by its name.
    expect(page.locator(".field-source .select2-selection")).to_contain_text(handle)
    pick(page, "target", "suspense", "Suspense INR")
    page.get_by_label("Amount").fill("2.04")
    page.get_by_label("Reason").fill("Paid twice")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("was added successfully").first).to_be_visible()
    approve_correction(page)
    expect(page.get_by_text("checker_is_maker").first).to_be_visible()

    sign_in_as(page, checker, desk)
    approve_correction(page)
    expect(page.get_by_role("heading", name="Nothing is posted yet")).to_be_visible()
    line = page.get_by_role("row").filter(has_text=handle)
    expect(line).to_contain_text("-₹2.04")
    expect(line).to_contain_text("₹10.30")
    follow(page.get_by_role("link", name="Cancel"))
    page.goto(desk)
    expect(winnings).to_contain_text("₹12.34")

    approve_correction(page)
    page.get_by_role("button", name="Post these entries").click()
    expect(page.get_by_text("Approved and posted").first).to_be_visible()
    page.goto(desk)
    expect(winnings).to_contain_text("₹10.30")


def open_queue(page: Page, queue: str) -> None:
    """Go from the dashboard to the list of a queue."""
    page.goto("/admin/")
    page.locator(".desk").get_by_role("link", name=queue, exact=True).click()
    expect(page.locator("#result_list")).to_be_visible()


def run_action(page: Page, player: str, action: str, remark: str = "") -> None:
    """Run an action on the player's withdrawal."""
    row = page.locator("#result_list tr", has_text=player.partition("@")[0])
    row.locator("input.action-select").check()
    page.locator("select[name=action]").select_option(action)
    if remark:
        page.locator("input[name=remark]").fill(remark)
    follow(page.get_by_role("button", name="Run"))


def test_second_person_approves_and_the_bank_file_is_made(page: Page, site: Any) -> None:
    page.set_viewport_size(DESK)
    prepared = run_beside(site, "tests.browser.prepared_staff", "withdrawal", PASSWORD)
    maker, checker, payer, player = prepared.split()

    sign_in_as(page, maker, "/admin/")
    open_queue(page, "Withdrawals to decide")
    run_action(page, player, "approve")
    expect(page.get_by_text("Another person must handle this withdrawal.")).to_be_visible()

    sign_in_as(page, checker, "/admin/")
    open_queue(page, "Withdrawals to decide")
    page.locator("#result_list tbody th a").first.click()
    reason = page.get_by_label("Reason for a rejection")
    expect(reason).not_to_have_css("border-top-width", "0px")  # The skin takes borders away.
    page.go_back()
    row = page.locator("#result_list tr.data-row", has_text=player.partition("@")[0])
    row.get_by_role("button", name="Expand row").press("Enter")
    expect(page.get_by_text("Asha Rao …7890").first).to_be_visible()
    row.get_by_role("button", name="Approve").click()
    expect(page.get_by_text("Approved:").first).to_be_visible()

    sign_in_as(page, payer, "/admin/")
    open_queue(page, "Withdrawals to pay")
    run_action(page, player, "send_to_bank")
    with page.expect_download() as file:
        page.get_by_role("link", name="CSV").first.click()
    assert "Asha Rao,001234567890,HDFC0001234" in Path(file.value.path()).read_text()
    open_queue(page, "Withdrawals to pay")
    run_action(page, player, "mark_paid", "UTR 4711")

    sign_in_as(page, player, "/wallet/withdrawals/")
    expect(page.get_by_text("Paid: UTR 4711")).to_be_visible()

    sign_in_as(page, checker, "/admin/core/auditentry/")
    for kind, what in (
        ("withdrawal", "approve"),
        ("payout batch", "send to bank"),
        ("payout batch", "take file"),
        ("withdrawal", "note paid"),
    ):
        rows = page.locator("#result_list tr", has_text=kind)
        expect(rows.get_by_role("cell", name=what, exact=True).first).to_be_visible()
