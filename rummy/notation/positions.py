"""Common parts of the text form of positions: fields and unseparated cards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rummy.errors import NotationError
from rummy.notation.cards import Card, parse_card

EMPTY: Final = "-"


def fields_of(text: str, count: int) -> list[str]:
    """Return the fields of a position; the first one, the name of the rules, may contain spaces.

    >>> fields_of("house rules 7H -", 3)
    ['house rules', '7H', '-']
    """
    fields = text.strip().rsplit(maxsplit=count - 1)
    if len(fields) != count:
        raise NotationError("bad_position", f"a position has {count} fields, not {len(fields)}")
    return fields


def cards_text(cards: Sequence[Card]) -> str:
    """Return cards without separators, or a dash for none.

    >>> cards_text(read_cards("7HKSPJ")), cards_text(())
    ('7HKSPJ', '-')
    """
    return "".join(map(str, cards)) or EMPTY


def read_cards(text: str) -> tuple[Card, ...]:
    """Parse cards without separators; a dash means none.

    >>> len(read_cards("7HKSPJ")), read_cards("-")
    (3, ())
    """
    if text == EMPTY:
        return ()
    return tuple(parse_card(text[place : place + 2]) for place in range(0, len(text), 2))
