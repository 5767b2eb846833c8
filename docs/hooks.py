"""Draw the apps from their import contracts, include outside pages, and name languages."""

from __future__ import annotations

import ast
import re
import tomllib
from html import escape
from pathlib import Path
from typing import Any

CHECKOUT = Path(__file__).resolve().parent.parent
PLACE = "<!-- architecture -->"
# A file outside docs/, or one section of it.
INCLUDED = re.compile(r"<!-- include ([\w/]+\.md)(?:: (.+?))? -->")
# Addresses of the included files in the site, relative to any of its folders.
PAGES = {
    "CONTRIBUTING.md": "../developers/contributing.md",
    "CONTEXT.md": "../developers/words.md",
    "CHANGELOG.md": "../developers/changelog.md",
    "SECURITY.md": "../developers/security.md",
}
OF_DJANGO = {"management", "migrations", "templatetags"}


def on_page_markdown(markdown: str, **_: object) -> str:
    """Replace the placeholders by the diagram and the included files."""
    markdown = INCLUDED.sub(lambda found: _included(found[1], found[2]), markdown)
    return markdown.replace(PLACE, picture()) if PLACE in markdown else markdown


def on_post_page(output: str, page: Any, **_: object) -> str:
    """Return a built page with its own language, and a name of the search for screen readers."""
    if page.url.startswith("hi/"):
        output = output.replace('<html lang="en"', '<html lang="hi"', 1)
    return output.replace('role="dialog"', 'role="dialog" aria-label="Search"', 1)


def _included(name: str, section: str | None) -> str:
    """Return an included file, with links relative to a folder of the site."""
    text = (CHECKOUT / name).read_text(encoding="utf-8")
    if section is not None:
        _before, _title, rest = text.partition(f"\n## {section}\n")
        text = f"## {section}\n" + rest.partition("\n## ")[0]
    text = re.sub(r"\]\((?:\.\./)?docs/", "](../", text)
    for page, place in PAGES.items():
        text = text.replace(f"]({page}", f"]({place}")
    return text


def picture() -> str:
    """Return the diagram as HTML: the apps, the highest first, each with its packages."""
    settings = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))
    between_apps = next(
        contract
        for contract in settings["tool"]["importlinter"]["contracts"]
        if contract["type"] == "layers" and "containers" not in contract
    )
    apps = re.findall(r"\w+", " ".join(between_apps["layers"]))
    rows = [
        f"<div><strong>{escape(app)}</strong><small>{escape(_purpose(app))}</small>"
        + "".join(f"<span>{escape(package)}</span>" for package in _packages(app))
        + "</div>"
        for app in apps
    ]
    return f'<div class="architecture">{"".join(rows)}</div>'


def _packages(app: str) -> list[str]:
    folders = (path.parent.name for path in (CHECKOUT / app).glob("*/__init__.py"))
    return sorted(name for name in folders if name not in OF_DJANGO)


def _purpose(app: str) -> str:
    source = (CHECKOUT / app / "__init__.py").read_text(encoding="utf-8")
    return (ast.get_docstring(ast.parse(source)) or "").partition("\n")[0]
