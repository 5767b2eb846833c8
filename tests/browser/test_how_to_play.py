"""How to play fits every screen: no horizontal scrolling, all cards visible."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser.chromium import LANGUAGES
from tests.browser.person import read_in

pytestmark = [pytest.mark.browser, pytest.mark.extended]


@pytest.mark.parametrize("rules", ["total-rummy-pool-101", "straight"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_how_to_play_pictures_fit_every_screen(
    page: Page, site: Any, language: str, rules: str
) -> None:
    read_in(page, site, language)
    page.goto(f"/how-to-play/?rules={rules}")

    for width, height in ((320, 568), (390, 844), (1366, 768)):
        page.set_viewport_size({"width": width, "height": height})

        assert page.evaluate("document.documentElement.scrollWidth") <= width
        outside = page.evaluate(
            """() => [...document.querySelectorAll(".pictures .card")].filter((card) => {
              const { left, right } = card.getBoundingClientRect();
              return left < 0 || right > innerWidth;
            }).length"""
        )
        assert outside == 0, width
