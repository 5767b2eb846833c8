"""Take the pictures of the documentation and the README: `make pictures`.

Each is the upper part of a screenshot in the light theme, and replaces a file of docs/pictures.
With names (`make pictures ARGS="gst tds"`) only these are taken. Look at them before they are
committed: cards are dealt at random, and no group may lie on the straight table yet.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from tests.browser import screenshots
from tests.browser.chromium import ARGUMENTS, CHROMIUM
from tests.builders.processes.product import CHECKOUT, PUBLIC_TEMP, RunningDemo

PICTURES: Final = CHECKOUT / "docs" / "pictures"
BYTES_MAX: Final = 120_000
# Charts are drawn and dialogs are open after this time.
SETTLED_MS: Final = 700
# The screenshot a picture is cut from, and how many of its pixels from the top are kept.
CUTS: Final = {
    "table": ("table-1366x768", 768),
    "phone": ("table-390x844", 844),
    "points": ("table-points-1366x768", 768),
    "deals": ("table-best-of-3-1366x768", 768),
    "straight": ("table-straight-1366x768", 768),
    "declare": ("table-asking-390x844", 844),
    "tournament": ("tournament-768x1024", 1_100),
}
SAMPLE_DATA: Final = ("--sample-data", "--days", "20")
# The proportions of a phone, so that the pictures of the README are of one height.
STAFF_SIZE: Final = {"width": 560, "height": 1_212}
PHONE: Final = {"width": 390, "height": 844}
DESK: Final = {"width": 1_180, "height": 900}
A_PLAYER: Final = "khan15"
FINANCE, SUPPORT, SUPERUSER = "finance_uma", "support_lata", "admin"
GUEST, STRANGER = "guest", "stranger"


@dataclass(frozen=True)
class Shot:
    """A page of the site with sample data: who opens it, what they press, and what is shown."""

    user: str
    address: str
    # Selectors, pressed one after the other.
    presses: tuple[str, ...] = ()
    part: str = "#main"
    # The number of pixels kept from the top.
    height: int = 620
    size: dict[str, int] = field(default_factory=lambda: DESK)


def of_a_task(user: str, address: str, *presses: str, **more: Any) -> Shot:
    return Shot(user, address, presses, **more)


def of_a_phone(address: str, *, user: str = "asha", **more: Any) -> Shot:
    return Shot(user, address, **{"part": "body", "height": 844, "size": PHONE, **more})


A_REPORT: Final = "/admin/reports/"
# The link of the table that `prepare` opens.
INVITATION: Final = "{invitation}"
THE_YEAR: Final = "a:has-text('This financial year')"
OF_SAMPLE_DATA: Final = {
    "staff": Shot(FINANCE, "/admin/", part="body", height=1_212, size=STAFF_SIZE),
    "report": Shot(FINANCE, "/admin/wallet/auditrun/", part="body", height=1_212, size=STAFF_SIZE),
    "today": of_a_task(FINANCE, "/admin/"),
    "first-day": of_a_task(SUPERUSER, "/admin/setup/"),
    "backups": of_a_task(SUPERUSER, "/admin/setup/", part=".setup li:has-text('manage.py backup')"),
    "regions": of_a_task("finance_kiran", "/admin/players/regionchange/", height=420),
    "withdrawals": of_a_task(FINANCE, "/admin/wallet/withdrawal/", "summary:has-text('Reject')"),
    "refunds": of_a_task(FINANCE, "/admin/cases/", "#main a:has-text('another amount')"),
    "disputes": of_a_task(
        SUPPORT, "/admin/cases/", "#main a[href*='/tables.dispute/']", height=760
    ),
    "messages": of_a_task(
        SUPPORT,
        "/admin/cases/",
        "#main a[href*='/players.helprequest/']",
        "a:has-text('We are looking into it')",
        height=860,
    ),
    "holds": of_a_task(
        SUPPORT,
        f"/admin/players/user/?q={A_PLAYER}",
        "a:has-text('Games, money, limits')",
        height=860,
    ),
    "search": of_a_task(FINANCE, "/admin/find/?q=280", height=480),
    "tournament-list": of_a_task("operations_om", "/admin/tournaments/tournament/"),
    "reports": of_a_task(FINANCE, A_REPORT, height=760),
    "month": of_a_task(FINANCE, A_REPORT, "#main a[href*='/closed/']", height=700),
    "gst": of_a_task(FINANCE, f"{A_REPORT}gst-outward-supplies/", THE_YEAR),
    "tds": of_a_task(FINANCE, f"{A_REPORT}tds-deductions/", THE_YEAR, height=700),
    "lobby": of_a_phone("/lobby/"),
    "statement": of_a_phone("/wallet/statement/?currency=INR"),
    "help": of_a_phone("/contact/"),
    "checklist": Shot(GUEST, "/lobby/?currency=INR", part="#checklist", size=PHONE),
    "invitation": of_a_phone(INVITATION, user=STRANGER),
    "replay": of_a_task(
        "asha",
        "/history/",
        "a:has-text('Score sheet') >> nth=1",
        "th a[href*='/history/']",
        "#moves li:nth-last-child(2) a",
        part="body",
        height=720,
        size={"width": 1_180, "height": 720},
    ),
    "avatars": of_a_phone("/account/", part="fieldset.avatars"),
}


def cut(directory: Path, names: Collection[str]) -> None:
    """Write pictures from the screenshots of a directory."""
    for name in names:
        source, height = CUTS[name]
        with Image.open(directory / f"{source}-light.png") as shot:
            save(name, shot.crop((0, 0, shot.width, min(height, shot.height))))


def save(name: str, picture: Image.Image) -> None:
    """Write one picture, which may have 120 kB."""
    path = PICTURES / f"{name}.webp"
    picture.convert("RGB").save(path, quality=80, method=6)
    size = path.stat().st_size
    assert size <= BYTES_MAX, f"{path.name} has {size} bytes"
    sys.stdout.write(f"{path.name}: {size} bytes\n")


def opened(browser: Any, url: str, user: str, password: str) -> Page:
    """Return a page of its own, signed in as the user, as a new guest, or as nobody."""
    page: Page = browser.new_page(base_url=url, viewport=DESK, color_scheme="light")
    if user == STRANGER:
        return page
    if user == GUEST:
        page.goto("/")
        page.get_by_role("button", name="Play now").first.click()
        page.wait_for_url("**/tables/**")
        return page
    page.goto("/accounts/login/")
    page.locator("[name=login]").fill(f"{user}@example.com")
    page.locator("[name=password]").fill(password)
    page.locator("form [type=submit]").last.click()
    page.wait_for_url("**/lobby/")
    return page


def prepare(player: Page, support: Page) -> str:
    """Let the player write to us and open a private table, and support hold withdrawals.

    Return the table's link.
    """
    player.goto("/contact/")
    player.locator("[name=subject]").fill("Where is my prize?")
    player.locator("main textarea").fill("I won the pool last night but see no prize.")
    player.locator("main select").select_option(index=1)
    player.get_by_role("button", name="Send message").click()
    player.wait_for_url("**/messages/**")
    support.goto(f"/admin/players/user/?q={A_PLAYER}")
    support.get_by_role("link", name="Games, money, limits").first.click()
    support.get_by_label("Reason for the hold: Withdrawals").fill("We asked for a document")
    support.get_by_role("button", name="Set the hold").last.click()
    player.goto("/lobby/")
    player.get_by_text("Open a private table").click()
    player.get_by_role("button", name="Open the table").click()
    player.wait_for_url("**/private/**")
    link = player.url
    player.get_by_role("button", name="Sit down").click()
    player.wait_for_url("**/tables/**")
    return link


def take_of_sample_data(url: str, password: str, directory: Path, wanted: Collection[str]) -> None:
    """Write the pictures of a site with sample data."""
    with sync_playwright() as playwright:
        browser: Any = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        pages: dict[str, Page] = {}
        try:
            for user in {shot.user for shot in OF_SAMPLE_DATA.values()}:
                pages[user] = opened(browser, url, user, password)
            link = prepare(pages["asha"], pages[SUPPORT])
            for name in wanted:
                take(pages[OF_SAMPLE_DATA[name].user], name, directory, link)
        finally:
            browser.close()


def take(page: Page, name: str, directory: Path, invitation: str) -> None:
    """Write one picture of a site with sample data."""
    shot = OF_SAMPLE_DATA[name]
    page.set_viewport_size(shot.size)  # type: ignore[arg-type]
    page.goto(shot.address.format(invitation=invitation))
    for selector in shot.presses:
        page.locator(selector).first.click()
        page.wait_for_load_state("networkidle")
    page.wait_for_timeout(SETTLED_MS)
    path = directory / f"{name}.png"
    page.locator(shot.part).first.screenshot(path=path, animations="disabled")
    with Image.open(path) as taken:
        save(name, taken.crop((0, 0, taken.width, min(taken.height, shot.height))))


def main(wanted: Collection[str]) -> None:
    of_tables = [name for name in CUTS if not wanted or name in wanted]
    of_sample_data = [name for name in OF_SAMPLE_DATA if not wanted or name in wanted]
    with tempfile.TemporaryDirectory(prefix="rummy-pictures-") as shots:
        if of_tables:
            screenshots.main(Path(shots), [CUTS[name][0].rpartition("-")[0] for name in of_tables])
            cut(Path(shots), of_tables)
        if of_sample_data:
            with tempfile.TemporaryDirectory(prefix="rummy-pictures-", dir=PUBLIC_TEMP) as data:
                demo = RunningDemo(Path(data), options=SAMPLE_DATA, BOT_THINK_SECONDS="0.5")
                try:
                    take_of_sample_data(demo.url, demo.password, Path(shots), of_sample_data)
                finally:
                    demo.stop()


if __name__ == "__main__":
    main(sys.argv[1:])
