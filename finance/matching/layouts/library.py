"""The layouts of banks that come with the product, one file of data for each bank."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any, Final

from finance.matching.layouts.layout import Layout

BANKS: Final = files(__package__) / "banks"


@cache
def bank_layouts() -> tuple[Layout, ...]:
    """Return the layouts of all banks, in the order of their files."""
    paths = sorted(path.name for path in BANKS.iterdir() if path.name.endswith(".toml"))
    return tuple(layout for path in paths for layout in _layouts(path))


def _layouts(path: str) -> list[Layout]:
    declared: dict[str, Any] = tomllib.loads((BANKS / path).read_text())
    layouts = declared.pop("layouts")
    return [Layout.of(declared | one) for one in layouts]
