"""List the licences of what an installation runs; `make licences` writes the page.

The names are those of `uv.lock`, the licences those that each package states in its metadata.
"""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from typing import Any, Final

CHECKOUT: Final = Path(__file__).resolve().parent.parent
PAGE: Final = CHECKOUT / "docs" / "operators" / "licences.md"
PROJECT: Final = "pool-rummy"
# Packages that are installed on another Python or system only.
ELSEWHERE: Final = {"async-timeout": "Apache-2.0", "tzdata": "Apache-2.0"}
INTRODUCTION: Final = """\
# Licences of the dependencies

What an installation runs, with the licence that each package states. Development tools are not
listed. The table is generated from `uv.lock` by `make licences`.

| Package | Version | Licence |
|---|---|---|
"""


def packages() -> dict[str, str]:
    """Return the versions of all packages that the project needs at run time, extras included."""
    locked = tomllib.loads((CHECKOUT / "uv.lock").read_text(encoding="utf-8"))["package"]
    # A package may be locked in several versions, for several Pythons.
    by_name: dict[str, list[dict[str, Any]]] = {}
    for package in locked:
        by_name.setdefault(package["name"], []).append(package)
    found: dict[str, str] = {}
    waiting = [PROJECT]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found[name] = " / ".join(each["version"] for each in by_name[name])
        for each in by_name[name]:
            extras = each.get("optional-dependencies", {})
            for needed in (each.get("dependencies", []), *extras.values()):
                waiting += [one["name"] for one in needed]
    del found[PROJECT]
    return dict(sorted(found.items()))


def licence(name: str) -> str:
    """Return the licence that an installed package states, or an empty text."""
    try:
        stated = metadata(name)
    except PackageNotFoundError:
        return ELSEWHERE.get(name, "")
    if expression := stated.get("License-Expression"):
        return expression
    named = [
        line.rpartition(" :: ")[2]
        for line in stated.get_all("Classifier") or []
        if line.startswith("License :: ") and line != "License :: OSI Approved"
    ]
    first_line = (stated.get("License") or "").strip().partition("\n")[0]
    return ", ".join(named) or first_line


def page() -> str:
    """Return the page as it should be now."""
    rows = (f"| {name} | {version} | {licence(name)} |" for name, version in packages().items())
    return INTRODUCTION + "\n".join(rows) + "\n"


def listed(text: str) -> dict[str, str]:
    """Return the packages and versions that a page lists."""
    return dict(re.findall(r"^\| ([a-z][\w.-]+) \| (\d[^|]*) \| [^|]+\|$", text, re.MULTILINE))


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
