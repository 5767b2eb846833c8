"""A clerk's month: a bank's CSV uploaded, its open rows explained, and the day's close read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import complaints
from tests.browser.beside import run_beside
from tests.browser.person import PASSWORD, sign_in_as

pytestmark = [pytest.mark.browser, pytest.mark.extended]
HEADINGS = "Date,Narration,Chq./Ref.No.,Value Dt,Withdrawal Amt.,Deposit Amt.,Closing Balance"


def hdfc(day: str, payout: str) -> str:
    rows = [
        f"{day},NEFT DR-HDFC0000123-ASHA RAO-{payout},0000000000000001,{day},70.00,,99930.00",
        f"{day},CHARGES INCL GST,0000000000000002,{day},11.80,,99918.20",
        f"{day},INTEREST CREDIT,0000000000000003,{day},,5.00,99923.20",
    ]
    return "\n".join([HEADINGS, *rows, ""])


def test_a_clerk_reconciles_an_hdfc_statement_and_sees_nothing_open_at_the_close(
    page: Page, site: Any, tmp_path: Path
) -> None:
    said = json.loads(run_beside(site, "tests.browser.prepared_staff", "bank", PASSWORD))
    file = tmp_path / "hdfc.csv"
    file.write_text(hdfc(said["day"], said["payout"]))
    page.set_viewport_size({"width": 1366, "height": 768})
    sign_in_as(page, said["clerk"], "/admin/")

    page.goto("/admin/finance/bankstatement/add/")
    page.locator("input[type=file]").set_input_files(file)
    page.get_by_role("button", name="Save", exact=True).click()

    rows = page.get_by_role("region", name="Statement lines")
    expect(page.get_by_text("2 open", exact=True)).to_be_visible()
    expect(rows.get_by_role("row", name=said["payout"])).to_contain_text("matched")
    expect(rows.get_by_role("checkbox")).to_have_count(2)
    assert complaints(page) == []
    rows.get_by_label("Explain missing ours, line 2").check()
    page.get_by_label("Reason").fill("Charges of the bank, booked in the accounts")
    page.get_by_role("button", name="Explain selected rows").click()
    expect(page.get_by_text("1 row explained.")).to_be_visible()
    expect(page.get_by_text("1 open", exact=True)).to_be_visible()
    rows.get_by_label("Explain credit, line 3").check()
    page.get_by_label("Reason").fill("Interest of the bank")
    page.get_by_role("button", name="Explain selected rows").click()

    expect(page.get_by_text("nothing open")).to_be_visible()
    expect(rows.get_by_role("checkbox")).to_have_count(0)
    expect(rows.get_by_role("row", name="INTEREST")).to_contain_text("Interest of the bank")
    page.goto("/admin/reports/")
    page.get_by_role("region", name="Closed days and months").get_by_role("link").first.click()
    bank = page.get_by_role("region", name="Bank statements")
    expect(bank).to_contain_text("hdfc.csv")
    expect(bank).to_contain_text("nothing open")
