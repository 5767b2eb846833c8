"""The scripts of the card table's page."""

from __future__ import annotations

import re

from tests.builders.processes.product import CHECKOUT


def imported(name: str, found: set[str]) -> set[str]:
    """Return the modules a script imports, at whatever depth."""
    source = (CHECKOUT / "static/js" / f"{name}.js").read_text()
    for module in re.findall(r'(?:from|import) "\./(\w+)\.js"', source):
        if module not in found:
            found.add(module)
            imported(module, found)
    return found


def test_the_page_asks_at_once_for_every_module_that_the_table_imports() -> None:
    page = (CHECKOUT / "templates/tables/_modules.html").read_text()

    asked = set(re.findall(r"js/(\w+)\.js", page))

    assert asked == imported("table", set())
