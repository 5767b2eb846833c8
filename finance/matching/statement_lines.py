"""The lines of a bank statement, independent of its file format."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

REFERENCE = re.compile(r"[A-Z0-9]{6,}")


@dataclass(frozen=True)
class StatementLine:
    """A line of a statement; debits are negative."""

    number: int
    day: date
    amount: Decimal
    currency: str
    text: str

    @property
    def references(self) -> set[str]:
        """Return possible references in the text: words and their alphanumeric parts."""
        words = self.text.upper().split()
        return {*words, *(part for word in words for part in REFERENCE.findall(word))}


@dataclass(frozen=True)
class Statement:
    """The lines of a statement and its closing balance, which CSV does not have."""

    lines: list[StatementLine]
    closing: Decimal | None = None


def one_line(text: str) -> str:
    return " ".join(text.split())
