"""Read a gateway file as a whole; if any line is invalid, reject it with all invalid lines."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from core.json_text import read_json
from finance.exceptions import BadFile, BadLine
from finance.matching.files import Unreadable, csv_rows
from finance.matching.gateways.lines import RECON, SHAPES, Movement, Shape, recon_item


@dataclass(frozen=True)
class Contents:
    """The movements of a file, each with its line number; the header is line 1."""

    shape: Shape
    lines: tuple[tuple[int, Movement], ...]
    # The number of lines that move no money.
    passed_over: int


def read_file(*, provider: str, body: bytes) -> Contents:
    """Return the contents of a file; raise `BadFile` with all invalid lines."""
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadFile("the file is not text in UTF-8") from error
    if provider == RECON.provider and text.lstrip()[:1] in ("{", "["):
        return _recon(text)
    written = csv_rows(io.StringIO(text, newline=""))
    rows = [(number, row) for number, row in written if any(map(str.strip, row))]
    if not rows:
        raise BadFile("the file is empty")
    columns = [name.strip() for name in rows[0][1]]
    shape = _shape(provider, columns)
    return _contents(shape, columns, rows[1:])


def _recon(text: str) -> Contents:
    """Read Razorpay's recon in JSON: a list of items, an object with the list as `items`, or a
    list of such objects, one for each page of the answer.
    """
    try:
        parsed = read_json(text)
        items = parsed["items"] if isinstance(parsed, dict) else parsed
        if isinstance(items, list) and all(map(_is_page, items)):
            items = [item for one in items for item in one["items"]]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        wrong = BadLine("line 1", "bad_json", repr(error)[:200])
        raise BadFile("the file is not a recon in JSON", [wrong]) from error
    if not isinstance(items, list):
        wrong = BadLine("line 1", "bad_json", "items is not a list")
        raise BadFile("the file is not a recon in JSON", [wrong])
    return _collected(RECON, enumerate(items, start=1), recon_item)


def _is_page(item: Any) -> bool:
    return isinstance(item, dict) and isinstance(item.get("items"), list)


def _shape(provider: str, columns: list[str]) -> Shape:
    known = [shape for shape in SHAPES if shape.provider == provider]
    for shape in known:
        # A duplicate column would be ambiguous.
        if all(columns.count(name) == 1 for name in shape.columns):
            return shape
    wanted = "; or ".join(", ".join(shape.columns) for shape in known)
    raise BadFile(
        f"line 1 must have these columns of {provider} once each: {wanted}",
        [BadLine("line 1", "unknown_columns", ", ".join(columns)[:200])],
    )


def _contents(shape: Shape, columns: list[str], rows: list[tuple[int, list[str]]]) -> Contents:
    def read(row: list[str]) -> Iterator[Movement]:
        if len(row) != len(columns):
            raise Unreadable("wrong_cells", f"{len(row)} cells under {len(columns)} columns")
        return shape.read(dict(zip(columns, map(str.strip, row), strict=True)))

    return _collected(shape, rows, read)


def _collected(
    shape: Shape, rows: Iterable[tuple[int, Any]], read: Callable[[Any], Iterator[Movement]]
) -> Contents:
    lines: list[tuple[int, Movement]] = []
    wrong: list[BadLine] = []
    seen: set[tuple[str, str]] = set()
    passed_over = 0
    for number, row in rows:
        try:
            found = list(read(row))
            for movement in found:
                _refuse_repeated(movement, seen)
        except Unreadable as refusal:
            wrong.append(refusal.at(f"line {number}"))
            continue
        passed_over += not found
        lines += ((number, movement) for movement in found)
    if wrong:
        raise BadFile(f"{len(wrong)} lines cannot be read; nothing was saved", wrong)
    return Contents(shape, tuple(lines), passed_over)


def _refuse_repeated(movement: Movement, seen: set[tuple[str, str]]) -> None:
    key = (movement.what, movement.reference)
    if key in seen:
        raise Unreadable("repeated_reference", f"{movement.reference} appears on an earlier line")
    seen.add(key)
