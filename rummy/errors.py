"""What the rules refuse, each refusal with a stable code and a sentence."""

from __future__ import annotations

from typing import Final

LONGEST_SENTENCE: Final = 1_000
"""A refusal repeats what was asked; of a question without end it repeats the two ends."""


class RummyError(ValueError):
    """The base of every refusal of this package; `code` is stable, the message is for people.

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
    """A text that cannot be read: a card, a move, a position, a history file."""


class RulesError(RummyError):
    """House rules that contradict themselves, or a field nobody knows."""


class ImpossibleHand(RummyError):
    """Cards that cannot lie on one table: a third seven of hearts from two decks."""


class IllegalMove(RummyError):
    """A move that can be read but may not be played now."""


class MoneyError(RummyError):
    """An amount that cannot be: negative money, a rate above the whole."""


class HistoryError(RummyError):
    """A history file that does not tell the truth; the message says where."""
