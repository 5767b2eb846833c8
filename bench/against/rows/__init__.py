"""All rows, in the order in which they are measured: those that need no server first."""

from __future__ import annotations

from typing import Final

from bench.against.figures import Row
from bench.against.rows import books, play, processes, rules, statements

ROWS: Final[tuple[Row, ...]] = (
    *rules.ROWS,
    *processes.ROWS,
    *books.ROWS,
    *play.ROWS,
    *statements.ROWS,  # Last: its servers count every statement from then on.
)
BY_NAME: Final = {row.name: row for row in ROWS}
