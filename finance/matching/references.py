"""References in a bank's text: words that may name a payout or a settlement."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final

# A part of a word between other characters, as in "NEFT-HDFCN52026050412345678-SETTLEMENT".
PART: Final = re.compile(r"[A-Z0-9]{6,}")
# A longer word is kept even without a digit.
PROSE_MAX: Final = 10
# Banks write these where a payment has no reference.
NONE_GIVEN: Final = frozenset({"NONREF", "NOTPROVIDED", "NOTAVAILABLE"})


def references_in(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the possible references in texts, in capitals and in a stable order.

    A line break in a text may be a wrap: the words beside it are also joined.

    >>> references_in(["UTR HDFCN5202605\\n0412345678 END"])
    ('0412345678', 'END', 'HDFCN5202605', 'HDFCN52026050412345678', 'UTR')
    """
    found: set[str] = set()
    for text in texts:
        rows = [row.split() for row in text.upper().splitlines()]
        words = [word for row in rows for word in row]
        for word in [*words, *_joined([row for row in rows if row])]:
            found.add(word)
            found.update(PART.findall(word))
    return tuple(sorted(found - NONE_GIVEN))


def may_name(word: str) -> bool:
    """Return whether a word may be a reference rather than prose: stored lines keep only these.

    >>> [word for word in ("PAYMENT", "UTR9", "SETL_QWERTYUIO", "INV/7") if may_name(word)]
    ['UTR9', 'SETL_QWERTYUIO', 'INV/7']
    """
    return len(word) >= PROSE_MAX or any(map(str.isdigit, word))


def _joined(rows: Sequence[Sequence[str]]) -> Iterable[str]:
    """Yield the words that a wrap may have parted: over one line break, or over several."""
    so_far = ""
    for row, after in pairwise(rows):
        so_far = so_far + row[0] if so_far and len(row) == 1 else row[-1]
        yield row[-1] + after[0]
        yield so_far + after[0]
