"""What a search term can be: an amount, an identifier, a name or an e-mail address."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Final
from uuid import UUID

LETTERS_MIN: Final = 3
TERM_MAX: Final = 100
AMOUNT: Final = re.compile(
    r"(?:₹|rs\.?|inr)?\s*(\d[\d,]{0,14}(?:\.\d{1,2})?)(?:\s*(?:₹|rs\.?|inr))?", re.IGNORECASE
)
SHORT_CODE: Final = re.compile(r"…?([0-9a-f]{8})", re.IGNORECASE)
# The code at the end of the name of a table or tournament.
GAME_CODE: Final = re.compile(r"(?:.*\s|…)?([0-9a-f]{6})", re.IGNORECASE)
MINOR_PER_UNIT: Final = 100


@dataclass(frozen=True, slots=True)
class Term:
    """A search term; each field is None where the text cannot be that."""

    text: str
    # In minor units.
    amount: int | None
    public_id: UUID | None
    short_code: str | None
    game_code: str | None

    @classmethod
    def parse(cls, text: str) -> Term:
        """Return the meanings of a text.

        >>> Term.parse("₹1,280.50").amount, Term.parse("1a2b3c4d").short_code
        (128050, '1a2b3c4d')
        >>> Term.parse("Duel 101 for ₹50 8e00aa").game_code
        '8e00aa'
        """
        text = text.strip()[:TERM_MAX].replace("\x00", "")
        amount = AMOUNT.fullmatch(text)
        code, game = SHORT_CODE.fullmatch(text), GAME_CODE.fullmatch(text)
        return cls(
            text=text,
            amount=int(Decimal(amount[1].replace(",", "")) * MINOR_PER_UNIT) if amount else None,
            public_id=_public_id(text),
            short_code=code[1].lower() if code else None,
            game_code=game[1].lower() if game else None,
        )

    @property
    def is_long_enough(self) -> bool:
        return self.amount is not None or len(self.text) >= LETTERS_MIN


def _public_id(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
