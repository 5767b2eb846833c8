"""The scripts of the card table's page."""

from __future__ import annotations

import re
from pathlib import Path

from tests.builders.processes.product import CHECKOUT

SCRIPTS = CHECKOUT / "static/js"


def imported(script: Path, found: set[Path]) -> set[Path]:
    """Return the modules a script imports, directly or not."""
    for path in re.findall(r'(?:from|import) "(\.[\w./]+\.js)"', script.read_text()):
        module = (script.parent / path).resolve()
        if module not in found:
            found.add(module)
            imported(module, found)
    return found


def test_page_preloads_every_module_that_the_table_imports() -> None:
    page = (CHECKOUT / "templates/tables/_modules.html").read_text()

    preloaded = {SCRIPTS / path for path in re.findall(r"js/([\w/]+\.js)", page)}

    assert len(preloaded) > 5
    assert preloaded == imported(SCRIPTS / "table/main.js", set())
