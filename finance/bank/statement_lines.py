"""A bank's statement once it is read, whatever it was written in."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

REFERENCE = re.compile(r"[A-Z0-9]{6,}")


@dataclass(frozen=True)
class StatementLine:
    """A line of a statement; money that left the account is negative."""

    number: int
    day: date
    amount: Decimal
    currency: str
    text: str

    @property
    def references(self) -> set[str]:
        """Return what in the text may be a reference, whole words and their parts."""
        words = self.text.upper().split()
        return {*words, *(part for word in words for part in REFERENCE.findall(word))}


@dataclass(frozen=True)
class Statement:
    """The lines of a statement, and what the bank says is left; CSV does not tell."""

    lines: list[StatementLine]
    closing: Decimal | None = None


def one_line(text: str) -> str:
    return " ".join(text.split())
