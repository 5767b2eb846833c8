"""Fill in the page of errors from the docstrings of the refusals."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import import_module
from inspect import getdoc
from pathlib import Path
from typing import Any, Final

from core.exceptions import Refusal

CHECKOUT: Final = Path(__file__).resolve().parent.parent
PAGE: Final = "integrators/errors.md"
LISTED: Final = re.compile(r"^- `(\w+)`(?P<text>.*)$", re.MULTILINE)
"""A line of the page with a code and, optionally, a text to add to the docstring."""


def on_page_markdown(markdown: str, *, page: Any, **_: object) -> str:
    """Add status and meaning to each code of the page."""
    return filled(markdown) if page.file.src_uri == PAGE else markdown


def filled(markdown: str) -> str:
    """Return the page with the status and docstring of each refusal that it lists."""
    known = refusals()

    def line(found: re.Match[str]) -> str:
        kinds = known.get(found[1])
        if kinds is None:  # Codes of moves and of the framework are described on the page.
            return found[0]
        meaning = " ".join(dict.fromkeys(map(_meaning, kinds)))
        return f"- `{found[1]}` ({int(kinds[0].status)}): {meaning}{found['text']}"

    return LISTED.sub(line, markdown)


def refusals() -> dict[str, list[type[Refusal]]]:
    """Return every refusal of the product by its code."""
    modules = [*CHECKOUT.glob("[a-z]*/exceptions.py"), *CHECKOUT.glob("[a-z]*/**/exceptions.py")]
    for path in sorted(modules):
        import_module(".".join(path.relative_to(CHECKOUT).with_suffix("").parts))
    found: dict[str, list[type[Refusal]]] = {}
    for kind in _below(Refusal):
        found.setdefault(kind.code, []).append(kind)
    return found


def _below(base: type[Refusal]) -> Iterator[type[Refusal]]:
    for kind in base.__subclasses__():
        yield kind
        yield from _below(kind)


def _meaning(kind: type[Refusal]) -> str:
    return " ".join((getdoc(kind) or "").partition("\n\n")[0].split())
