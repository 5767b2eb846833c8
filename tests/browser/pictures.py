"""Take the pictures of the documentation and the README: `make pictures`.

Each is the upper part of a screenshot in the light theme, and replaces a file of docs/pictures.
Look at them before they are committed: cards are dealt at random, and no group may lie on the
straight table yet.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any, Final

from PIL import Image
from playwright.sync_api import sync_playwright

from tests.browser import screenshots
from tests.browser.chromium import ARGUMENTS, CHROMIUM
from tests.builders.processes.product import CHECKOUT, PUBLIC_TEMP, RunningDemo

PICTURES: Final = CHECKOUT / "docs" / "pictures"
BYTES_MAX: Final = 120_000
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
# Pages of staff with work and figures: picture, user name and address.
OF_STAFF: Final = {
    "staff": ("finance_uma", "/admin/"),
    "report": ("finance_uma", "/admin/wallet/auditrun/"),
}
SAMPLE_DATA: Final = ("--sample-data", "--days", "20")
# The proportions of a phone, so that the pictures of the README are of one height.
STAFF_SIZE: Final = {"width": 560, "height": 1_212}


def cut(directory: Path) -> None:
    """Write every picture from the screenshots of a directory."""
    for name, (source, height) in CUTS.items():
        with Image.open(directory / f"{source}-light.png") as shot:
            save(name, shot.crop((0, 0, shot.width, min(height, shot.height))))


def save(name: str, picture: Image.Image) -> None:
    """Write one picture, which may have 120 kB."""
    path = PICTURES / f"{name}.webp"
    picture.convert("RGB").save(path, quality=80, method=6)
    size = path.stat().st_size
    assert size <= BYTES_MAX, f"{path.name} has {size} bytes"
    sys.stdout.write(f"{path.name}: {size} bytes\n")


def take_of_staff(url: str, password: str, directory: Path) -> None:
    """Write the pictures of staff's pages, from a site with sample data."""
    with sync_playwright() as playwright:
        browser: Any = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        try:
            for name, (user, address) in OF_STAFF.items():
                page = browser.new_page(base_url=url, viewport=STAFF_SIZE, color_scheme="light")
                page.goto("/accounts/login/")
                page.locator("[name=login]").fill(f"{user}@example.com")
                page.locator("[name=password]").fill(password)
                page.locator("form [type=submit]").last.click()
                page.wait_for_url("**/lobby/")
                page.goto(address)
                shot = directory / f"{name}.png"
                page.screenshot(path=shot, animations="disabled")
                with Image.open(shot) as taken:
                    save(name, taken)
        finally:
            browser.close()


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="rummy-pictures-") as shots:
        pages = [source.rpartition("-")[0] for source, _height in CUTS.values()]
        screenshots.main(Path(shots), pages)
        cut(Path(shots))
        with tempfile.TemporaryDirectory(prefix="rummy-pictures-", dir=PUBLIC_TEMP) as data:
            demo = RunningDemo(Path(data), options=SAMPLE_DATA)
            try:
                take_of_staff(demo.url, demo.password, Path(shots))
            finally:
                demo.stop()


if __name__ == "__main__":
    main()
