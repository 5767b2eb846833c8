"""Exceptions of the rules, each with a stable code and a message."""

from __future__ import annotations

from typing import Final

LONGEST_SENTENCE: Final = 1_000
"""The longest message; the middle of a longer one is left out."""


class RummyError(ValueError):
    """The base class of all refusals of this package; `code` is stable, the message is for people.

    >>> RummyError("bad_card", "'7X' is not a card").code
    'bad_card'
    """

    def __init__(self, code: str, message: str) -> None:
        if len(message) > LONGEST_SENTENCE:
            message = f"{message[: LONGEST_SENTENCE // 2]} ... {message[-LONGEST_SENTENCE // 4 :]}"
        super().__init__(message)
        self.code = code
        self.message = message


class NotationError(RummyError):
    """A malformed text: a card, a move, a position, a history file."""


class RulesError(RummyError):
    """Contradictory house rules, or an unknown field."""


class ImpossibleHand(RummyError):
    """Cards that cannot occur together, such as a third seven of hearts from two decks."""


class IllegalMove(RummyError):
    """A well-formed move that is not legal now."""


class MoneyError(RummyError):
    """An invalid amount: negative money, a rate above 100 %."""


class HistoryError(RummyError):
    """An invalid history file; the message names the line."""
