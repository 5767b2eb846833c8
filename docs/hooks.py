"""Draw the house from the rules of its imports, and include pages that stand beside the code."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any

CHECKOUT = Path(__file__).resolve().parent.parent
PLACE = "<!-- house -->"
# A page beside the code, or only the section of that title.
INCLUDED = re.compile(r"<!-- include ([\w/]+\.md)(?:: (.+?))? -->")
# Where pages beside the code stand in the site, seen from any folder of it.
PAGES = {
    "CONTRIBUTING.md": "../developers/contributing.md",
    "CONTEXT.md": "../developers/words.md",
    "CHANGELOG.md": "../developers/changes.md",
}
OF_DJANGO = {"management", "templatetags"}


def on_page_markdown(markdown: str, **_: object) -> str:
    """Put the picture, or a page that stands beside the code, in its place."""
    markdown = INCLUDED.sub(lambda found: _included(found[1], found[2]), markdown)
    return markdown.replace(PLACE, picture()) if PLACE in markdown else markdown


def _included(name: str, section: str | None) -> str:
    """Return a page that stands beside the code, its links as seen from a folder of the site."""
    text = (CHECKOUT / name).read_text(encoding="utf-8")
    if section is not None:
        _before, _title, rest = text.partition(f"\n## {section}\n")
        text = f"## {section}\n" + rest.partition("\n## ")[0]
    text = re.sub(r"\]\((?:\.\./)?docs/", "](../", text)
    for page, place in PAGES.items():
        text = text.replace(f"]({page}", f"]({place}")
    return text


def picture() -> str:
    """Return the storeys of the house, uppermost first, as lists of their rooms."""
    settings = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    house, *rooms = [contract for contract in contracts if contract["type"] == "layers"]
    rooms_of = {contract["containers"][0]: _names(contract) for contract in rooms}
    storeys = [
        f"<div><strong>{escape(app)}</strong><small>{escape(_purpose(app))}</small>"
        + "".join(f"<span>{escape(room)}</span>" for room in rooms_of.get(app, ()))
        + "</div>"
        for app in _names(house)
    ]
    return f'<div class="house">{"".join(storeys)}</div>'


def _names(contract: Mapping[str, Any]) -> list[str]:
    """Return a contract's packages in order; modules that only gather stand in no picture.

    >>> _names({"layers": ["admin : tasks", "core"], "containers": ["."]})
    ['core']
    """
    inside = CHECKOUT / contract.get("containers", ["."])[0]
    told = " : ".join(contract["layers"]).replace("|", ":").split(":")
    named = (name for name in map(str.strip, told) if name not in OF_DJANGO)
    return [name for name in named if (inside / name).is_dir()]


def _purpose(app: str) -> str:
    source = (CHECKOUT / app / "__init__.py").read_text(encoding="utf-8")
    return (ast.get_docstring(ast.parse(source)) or "").partition("\n")[0]
