"""The Chromium of this machine, how it is started, and the languages it can show."""

from __future__ import annotations

import shutil
import subprocess

import pytest

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


def _shows_hindi() -> bool:
    if shutil.which("fc-list") is None:
        return False
    found = subprocess.run(["fc-list", ":lang=hi"], capture_output=True, text=True, check=False)
    return bool(found.stdout.strip())


needs_hindi = pytest.mark.skipif(
    not _shows_hindi(),
    reason="no font has Devanagari (Debian: fonts-lohit-deva), so that widths say nothing",
)
# For pages that are measured.
LANGUAGES = ["en", pytest.param("hi", marks=needs_hindi)]
