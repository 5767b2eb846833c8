"""Every page of the site, with the way to reach it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from playwright.sync_api import Page, expect

from tests.browser.person import PATIENCE_MS, follow, wait_for_my_turn

PUBLIC = {
    "landing": "/",
    "lobby-stranger": "/lobby/",
    "rules": "/rules/",
    "rules-pool": "/rules/total-rummy-pool-101/",
    "rules-points": "/rules/total-rummy-points/",
    "rules-numbers": "/rules/numbers/",
    "split-calculator": "/rules/split/",
    "tournaments": "/tournaments/",
    "leaderboards": "/tournaments/leagues/",
    "verify": "/verify/",
    "proof-of-balances": "/verify/balance/",
    "dealt": "/verify/dealt/",
    "help": "/help/",
    "contact": "/contact/",
    "look": "/account/look/",
    "network-data": "/account/traces/",
    "sign-in": "/accounts/login/",
    "sign-up": "/accounts/signup/",
    "password-forgotten": "/accounts/password/reset/",
    "not-found": "/nowhere/",
}
OWN = {
    "lobby": "/lobby/",
    "history": "/history/",
    "disputes": "/disputes/",
    "shared-deals": "/account/shared-deals/",
    "people": "/account/people/",
    "wallet": "/wallet/",
    "statement": "/wallet/statement/",
    "tax": "/wallet/tax/",
    "limits": "/wallet/limits/",
    "withdrawals": "/wallet/withdrawals/",
    "account": "/account/",
    "notifications": "/account/notices/",
    "messages": "/account/messages/",
    "notification-choices": "/account/notices/choices/",
    "account-close": "/account/close/",
    "email": "/accounts/email/",
    "password": "/accounts/password/change/",
    "sessions": "/accounts/sessions/",
    "second-factor": "/accounts/2fa/",
}
# Of a superuser; lists and forms of the admin stand for the others of their kind.
STAFF = {
    "today": "/admin/",
    "cases": "/admin/cases/",
    "search": "/admin/find/?q=asha",
    "reports": "/admin/reports/",
    "report": "/admin/reports/journal/",
    "setup": "/admin/setup/",
    "harm": "/admin/harm/",
    "wind-down": "/admin/wind-down/",
    "live-tables": "/admin/tables/table/live/",
    "withdrawals": "/admin/wallet/withdrawal/",
    "transfers": "/admin/wallet/transfer/",
    "players": "/admin/players/user/",
    "audit": "/admin/wallet/auditrun/",
    "staff-actions": "/admin/core/auditentry/",
    "region-change": "/admin/players/regionchange/add/",
    "correction": "/admin/wallet/adjustment/add/",
}
# The first link of this shape on the page named before it.
LED_TO = {
    "player": ("/account/", r"/players/\w+/$"),
    "tournament": ("/tournaments/", r"/tournaments/[0-9a-f-]{36}/$"),
    "receipt": ("/wallet/statement/", r"/wallet/transfers/[0-9a-f-]{36}/$"),
}


def drop_a_deal(page: Page) -> None:
    """At a table: drop at the next turn and wait until the deal is scored."""
    wait_for_my_turn(page)
    page.locator("#drop").click()
    page.locator("#ask-yes").click()
    scored = page.locator("#replay-link")
    expect(scored).to_have_attribute("href", re.compile(r"/\d+/$"), timeout=PATIENCE_MS)


def of_a_played_deal(page: Page) -> dict[str, str]:
    """From a table with a scored deal: the pages available afterwards."""
    replay = page.locator("#replay-link").get_attribute("href") or ""
    return {
        "score-sheet": re.sub(r"\d+/$", "", replay),
        "replay": replay,
        "replay-step": f"{replay}1/",
        "share-deal": f"{replay}share/",
        "dispute": f"{replay}1/dispute/",
        "verify-deal": replay.replace("/history/", "/verify/"),
    }


def led_to(page: Page) -> Iterator[tuple[str, str]]:
    """Pages whose address is found by following a link."""
    for name, (start, shape) in LED_TO.items():
        page.goto(start)
        hrefs = page.locator("main a").evaluate_all("links => links.map(link => link.href)")
        found = [href for href in hrefs if re.search(shape, href)]
        assert found, f"no link to a {name} on {start}"
        yield name, found[0]
    page.goto("/lobby/")
    page.get_by_text("Open a private table").click()
    follow(page.get_by_role("button", name="Open the table"))
    yield "private-table", page.url
