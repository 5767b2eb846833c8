"""The Chromium of this machine, how it is started, and the languages it can show."""

from __future__ import annotations

import shutil
import subprocess

import pytest

WHOLE_CHROMIUM = shutil.which("chromium")
# The headless shell draws the same pages without a window's frame, which is faster.
CHROMIUM = shutil.which("chromium-headless-shell") or WHOLE_CHROMIUM

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
# For pages that are measured: what fits in Hindi's taller letters and longer words fits in English,
# which is measured with the heavy amounts.
LANGUAGES = [
    pytest.param("en", marks=pytest.mark.soak if _shows_hindi() else ()),
    pytest.param("hi", marks=needs_hindi),
]
