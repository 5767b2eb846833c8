"""The readers of CSV: layouts of this installation, then those of banks."""

from __future__ import annotations

from finance.exceptions import BadFile
from finance.matching.layouts.library import bank_layouts
from finance.matching.layouts.models import CsvLayout
from finance.matching.layouts.reading import LayoutReader


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
