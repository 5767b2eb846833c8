"""Identity, limits, a wind-down and an exclusion, page by page in both languages."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.beside import run_beside
from tests.browser.chromium import LANGUAGES
from tests.browser.person import fill_in_sign_up, follow, sign_up
from tests.builders.people.identities import PNG

pytestmark = [pytest.mark.browser, pytest.mark.extended]
SIZES = ((360, 740), (1366, 768))
# Where pictures are saved, if set.
PICTURES = os.environ.get("JOURNEY_PICTURES", "")
TOKEN = "document.cookie.match(/csrftoken=([^;]+)/)[1]"
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
WORDS = {
    "en": {
        "sent": "we sent your document to Sandbox on",
        "verified": "Verified",
        "frozen": "Play for money is being wound down where you live",
        "for good": "For good",
        "refused": "You have excluded yourself from play permanently",
        "same number": "not confirmed yet",
    },
    "hi": {
        "sent": "आपका दस्तावेज़ Sandbox को भेजा",
        "verified": "सत्यापित",
        "frozen": "आप जहाँ रहते हैं वहाँ पैसे का खेल बंद किया जा रहा है",
        "for good": "हमेशा के लिए",
        "refused": "आपने",
        "same number": "पुष्टि करने तक इस नंबर का इस्तेमाल नहीं होता",
    },
}


def look(page: Page, name: str, language: str) -> None:
    """Check that nothing is cut off at the side, on a phone and on a desktop."""
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        assert page.evaluate(OVERFLOW) <= 0, (name, language, width)
        if PICTURES:
            path = Path(PICTURES) / f"{name}-{language}-{width}.png"
            page.screenshot(path=path, full_page=True, animations="disabled")


def choose_hindi(page: Page) -> None:
    page.goto("/account/look/")
    page.locator("main select[name=language]").select_option("hi")
    follow(page.locator("main form button[type=submit]").first)


def show_who_one_is(page: Page, site: Any, handle: str, language: str) -> None:
    """Submit a document; with consent the provider gets it and answers some seconds later."""
    words = WORDS[language]
    page.goto("/account/identity/")
    page.locator("input[name=name]").fill("Asha Rao")
    file = {"name": "passport.png", "mimeType": "image/png", "buffer": PNG}
    page.locator("input[name=front]").set_input_files(files=[file])  # type: ignore[list-item]
    page.locator("input[name=may_be_sent]").check()
    look(page, "identity-form", language)
    follow(page.locator("main form button[type=submit]"))
    expect(page.locator("main")).to_contain_text("Asha Rao")
    run_beside(site, "tests.browser.prepared_answer", handle)
    page.reload()
    expect(page.locator("dl.facts").first).to_contain_text(words["verified"])
    expect(page.locator("main")).to_contain_text(words["sent"])
    look(page, "identity", language)


def set_a_limit(page: Page, language: str) -> None:
    page.goto("/account/play/")
    page.locator("select[name=what]").select_option("tables:")
    page.locator("input[name=most]").fill("2")
    follow(page.locator("form:has(select[name=what]) button[type=submit]"))
    limits = page.locator("section[aria-labelledby=limits] td:nth-child(2)")
    expect(limits.filter(has_text=re.compile(r"^\s*2\s*$"))).to_have_count(1)
    look(page, "own-play", language)
    page.goto("/account/your-data/")
    look(page, "your-data", language)


def give_a_number(page: Page, mobile: str, language: str) -> None:
    """Enter a mobile number, which is shown in one format."""
    page.goto("/account/phone/")
    page.locator("input[name=number]").fill("12")
    follow(page.locator("main form button[type=submit]"))
    expect(page.locator("main .errorlist")).to_contain_text("98765 43210")
    page.locator("input[name=number]").fill(f"+91 {mobile}")
    follow(page.locator("main form button[type=submit]"))
    expect(page.locator("input[name=number]")).to_have_value(f"+91{mobile.replace(' ', '')}")
    look(page, "phone", language)


def exclude_oneself(page: Page, language: str) -> None:
    """Start a self-exclusion."""
    words = WORDS[language]
    page.goto("/account/break/")
    choices = page.locator("select[name=length] option")
    page.locator("select[name=length]").select_option(choices.last.get_attribute("value"))
    page.locator("input[name=is_sure]").check()
    follow(page.locator("main form button[type=submit]"))
    expect(page.locator("main")).to_contain_text(words["for good"])
    expect(page.locator("select[name=length]")).to_have_count(0)
    look(page, "excluded", language)
    answer = page.request.post(
        "/api/v1/quick-seat/",
        data={},
        headers={"X-CSRFToken": page.evaluate(TOKEN), "Referer": page.url},
    )
    assert (answer.status, answer.json()["code"]) == (403, "self_excluded")
    assert words["refused"] in answer.json()["message"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_player_verifies_identity_and_excludes_themselves(
    page: Page, site: Any, language: str
) -> None:
    words, country = WORDS[language], {"en": "SG", "hi": "NZ"}[language]
    handle = sign_up(page)
    if language == "hi":
        choose_hindi(page)
    page.goto("/account/place/")
    look(page, "place", language)
    page.goto("/account/birth-date/")
    page.locator("input[name=born]").fill("1990-01-02")
    follow(page.locator("main form button[type=submit]"))
    run_beside(site, "tests.browser.prepared_cash", handle, country)

    show_who_one_is(page, site, handle, language)
    set_a_limit(page, language)

    # A wind-down: the bonus is frozen, and nothing is paid in.
    run_beside(site, "tests.browser.prepared_cash", handle, country, "wind-down")
    page.goto("/wallet/")
    expect(page.locator("main")).to_contain_text(words["frozen"])
    look(page, "wind-down", language)

    mobile = {"en": "98765 43210", "hi": "98765 43211"}[language]
    give_a_number(page, mobile, language)
    exclude_oneself(page, language)

    # Another account enters the same number: unconfirmed, it has no effect.
    page.context.clear_cookies()
    page.goto("/accounts/signup/")
    look(page, "sign-up", language)
    fill_in_sign_up(page, mobile=f"0{mobile}")
    if language == "hi":
        choose_hindi(page)
    page.goto("/account/phone/")
    expect(page.locator("main")).to_contain_text(words["same number"])
    look(page, "same-number", language)
