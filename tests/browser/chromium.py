"""The Chromium of this machine, and how it is started."""

from __future__ import annotations

import shutil

CHROMIUM = shutil.which("chromium")

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
