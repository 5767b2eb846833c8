"""The known layouts of CSV: those of this installation, then one file of data for each bank."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any, Final

from finance.exceptions import BadFile
from finance.matching.layouts.layout import Layout
from finance.matching.layouts.models import CsvLayout
from finance.matching.layouts.reading import LayoutReader

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


def layout_readers() -> list[LayoutReader]:
    """Return a reader for each layout, those that staff declared first."""
    own = [row.layout() for row in CsvLayout.objects.all()]
    return [LayoutReader(layout) for layout in (*own, *bank_layouts())]


def reader_named(name: str) -> LayoutReader | None:
    """Return the reader of a layout by its name ("hdfc", "own-7"); None for "".

    Raise `BadFile` if there is no such layout.
    """
    readers = {one.layout.name: one for one in layout_readers()}
    if name and name not in readers:
        raise BadFile(f"there is no layout {name!r}: use one of {', '.join(readers)}")
    return readers.get(name)
