"""A player plays a whole pool against bots, to the payout in the wallet.

Once on the site's own network, and once on a phone's, whose delays are printed (`pytest -s`).
"""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.beside import run_beside
from tests.browser.person import PATIENCE_MS, own_cards, sign_up
from tests.builders.processes.slow_network import phone_network

pytestmark = [pytest.mark.browser, pytest.mark.timeout(1800), pytest.mark.soak]

TURNS_MAX = 400
# The acts on the page, and the keywords of their moves.
ACTS = {"draw": ("ds", "do"), "discard": ("x",), "declare": ("show",), "show": ("meld",)}
BUSY = "#stock:enabled, #send:visible, #prompt-no:visible, #stage .podium"


class Stopwatch:
    """The player's acts and the seconds until the page showed each one's answer."""

    def __init__(self) -> None:
        self.seconds: dict[str, list[float]] = {}

    @contextmanager
    def time(self, act: str) -> Iterator[None]:
        began = time.perf_counter()
        yield
        self.seconds.setdefault(act, []).append(time.perf_counter() - began)

    def report(self) -> str:
        return "\n".join(
            f"{act}: {len(each)} answers, median {median(each):.2f} s, longest {max(each):.2f} s"
            for act, each in self.seconds.items()
        )


def test_player_plays_a_pool_61_to_the_payout(page: Page) -> None:
    play_a_pool(page, Stopwatch())


def test_pool_on_a_phone_network_loses_no_move(chromium: Any, site: Any) -> None:
    watch = Stopwatch()
    with phone_network(site.url) as network:
        context = chromium.new_context(
            base_url=network.url,
            viewport={"width": 390, "height": 844},
            service_workers="block",
            reduced_motion="reduce",
        )
        context.set_default_timeout(PATIENCE_MS)
        handle = play_a_pool(context.new_page(), watch)
        context.close()

    losses = f"{network.repeats} packets sent again, all sockets cut {network.cuts} times"
    sys.stdout.write(f"\n{watch.report()}\n{losses}\n")
    stored = json.loads(run_beside(site, "tests.browser.own_moves", handle))
    shown = {act: len(each) for act, each in watch.seconds.items()}
    assert network.cuts
    assert network.repeats
    assert stored["phase"] == "finished"
    # Each act on the page is one move of the player, and the clock made none.
    assert "clock" not in stored["origins"]
    for act, verbs in ACTS.items():
        assert sum(stored["verbs"].get(verb, 0) for verb in verbs) == shown.get(act, 0), act


def play_a_pool(page: Page, watch: Stopwatch) -> str:
    """Play to the podium and check the payout; return the new player's handle."""
    handle = sign_up(page)
    row = page.locator(".table-row", has_text="Practice pool 61").last
    row.get_by_role("button", name=re.compile("Join for")).click()

    for _ in range(TURNS_MAX):
        page.locator(BUSY).first.wait_for(timeout=PATIENCE_MS)
        if page.locator("#stage .podium").is_visible():
            break
        take_part(page, watch)

    podium = page.locator("#stage .podium > li")
    expect(podium).to_have_count(4)
    mine = podium.filter(has_text="You")
    prize = mine.locator(".number").inner_text()
    page.goto("/wallet/statement/")
    rows = page.locator("table.statement tbody tr")
    assert (prize != "–") == bool(rows.filter(has_text=re.compile(r"Prize \d")).count())
    if prize != "–":
        assert re.search(r"[\d.]+ PTS", prize)
    page.goto("/history/")
    expect(page.locator(".table-row", has_text="Practice pool 61").first).to_be_visible()
    return handle


def take_part(page: Page, watch: Stopwatch) -> None:
    """Answer the open question: groups, a rejoin, or a turn as the server advises."""
    if page.locator("#prompt-no").is_visible():
        page.locator("#prompt-no").click()
        expect(page.locator("#prompt-no")).to_be_hidden()
    elif page.locator("#send").is_visible():
        page.locator("#arrange").click()
        with watch.time("show"):
            page.locator("#send").click()
            expect(page.locator("#send")).to_be_hidden()
    else:
        take_a_turn(page, watch)


def take_a_turn(page: Page, watch: Stopwatch) -> None:
    with watch.time("draw"):
        page.locator("#stock").click()
        expect(own_cards(page)).to_have_count(14, timeout=PATIENCE_MS)
    with watch.time("arrange"), page.expect_response(re.compile("/arrangement/$")) as shown:
        page.locator("#arrange").click()
    if shown.value.json()["finish"]:
        expect(page.locator("#declare")).to_be_enabled()
        page.locator("#declare").click()
        expect(page.locator("#ask .warn")).to_have_count(0)
        with watch.time("declare"):
            page.locator("#ask-yes").click()
            expect(page.locator("#declare")).not_to_be_enabled(timeout=PATIENCE_MS)
        return
    loose = page.locator("#hand .group:is(.is-loose, .is-heap) .card")
    (loose if loose.count() else own_cards(page)).last.click()
    with watch.time("discard"):
        page.locator("#discard").click()
        expect(page.locator("#discard")).to_be_disabled(timeout=PATIENCE_MS)
