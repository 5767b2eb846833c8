"""A player downloads the proof of a balance and checks it without the server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.beside import run_beside
from tests.browser.person import sign_up

pytestmark = [pytest.mark.browser, pytest.mark.extended, pytest.mark.timeout(240)]


def test_proof_of_a_balance_is_checked_offline_and_an_altered_one_refused(
    page: Page, site: Any, tmp_path: Path
) -> None:
    sign_up(page)
    run_beside(site, "tests.browser.prepared_close")
    page.goto("/wallet/")
    page.get_by_role("link", name="Proof of my balance").click()
    with page.expect_download() as downloaded:
        # Others on the site may hold rupees; this player has the play points of a new account.
        points = page.locator("[data-currency=PTS]")
        points.get_by_role("link", name="Download", exact=True).first.click()
    proof = tmp_path / "balance.txt"
    downloaded.value.save_as(proof)
    verdict = page.locator("#verdict-title")

    page.context.set_offline(True)
    page.set_input_files("#file", proof)

    expect(verdict).to_have_text("This proof is correct.")
    expect(page.locator("#checks .good")).to_have_count(4)
    assert proof.stat().st_size < 2_000
    whole = proof.read_text()
    *_, nonce, balance, root = whole.splitlines()[:7]
    for text in (
        whole.replace(f"\n{balance}\n", f"\n{balance}0\n"),
        whole.replace(nonce[:8], "0" * 8),
        whole.replace(root, root.replace("root", "left")),
        whole.replace(f"{nonce}\n", f"{nonce}\n{nonce}\n"),
        whole * 2,
        "{",
    ):
        for pasted, title in ((whole, "This proof is correct"), (text, "This proof is wrong")):
            page.get_by_label("Or paste its text").fill(pasted)
            page.get_by_role("button", name="Check the proof").click()
            expect(verdict).to_contain_text(title)

    page.context.set_offline(False)
    page.goto("/verify/balance/?day=2001-01-01")  # The proof's day is not among the rows shown.
    for is_offline, title in ((False, "This proof is correct."), (True, "not shown here")):
        page.context.set_offline(is_offline)
        page.get_by_label("Or paste its text").fill(whole)
        page.get_by_role("button", name="Check the proof").click()
        expect(verdict).to_contain_text(title)
