"""Take the pictures of the documentation again: `make pictures`.

Each is the upper part of a screenshot in the light theme, and replaces a file of docs/pictures.
Look at them before they are committed: cards are dealt anew, and no group may lie on the straight
table yet.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Final

from PIL import Image

from tests.browser import screenshots
from tests.builders.processes.product import CHECKOUT

PICTURES: Final = CHECKOUT / "docs" / "pictures"
# The screenshot a picture is cut from, and how many of its pixels from the top are kept.
CUTS: Final = {
    "table": ("table-1366x768", 768),
    "points": ("table-points-1366x768", 768),
    "deals": ("table-best-of-3-1366x768", 768),
    "straight": ("table-straight-1366x768", 768),
    "declare": ("table-asking-390x844", 844),
    "tournament": ("tournament-768x1024", 1_100),
}


def cut(directory: Path) -> None:
    """Write every picture from the screenshots of a directory."""
    for name, (source, height) in CUTS.items():
        with Image.open(directory / f"{source}-light.png") as shot:
            kept = shot.convert("RGB").crop((0, 0, shot.width, min(height, shot.height)))
            kept.save(PICTURES / f"{name}.webp", quality=80, method=6)
    sys.stdout.write(f"{len(CUTS)} pictures in {PICTURES}\n")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="rummy-pictures-") as shots:
        pages = [source.rpartition("-")[0] for source, _height in CUTS.values()]
        screenshots.main(Path(shots), pages)
        cut(Path(shots))
