"""Encoding of observations and actions as numbers.

Actions 0 to 52 discard the card of that index (`Card.index`, 52 a printed joker); then come drawing
from the stock, from the open pile, dropping, and showing. A show is offered only when the hand can
be declared, with groups found by the solver, so that no agent declares wrongly.

An observation is a row of `SIZE` bytes, made of the seat's `View` alone:

    HAND      how often each card index is in the hand
    TOP       1 at the card index on top of the open pile
    BELOW     how often each card index lies below it
    WILD      1 at the wild rank, ace first
    DRAWN     1 when the seat has drawn
    STOCK     cards in the stock
    SHUFFLED  how often the open pile has been turned into the stock
    ACTIVE    1 for each of six seats that still plays, one's own first, then in turn
"""

from __future__ import annotations

from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from rummy.bots import closing
from rummy.notation.cards import JOKER_INDEX
from rummy.notation.moves import Discard, Draw, Drop, Move, Show
from rummy.thirteen.views import View

Row: TypeAlias = npt.NDArray[np.uint8]
Mask: TypeAlias = npt.NDArray[np.int8]

CARDS: Final = JOKER_INDEX + 1
DRAW_STOCK: Final = CARDS
DRAW_OPEN: Final = CARDS + 1
DROP: Final = CARDS + 2
SHOW: Final = CARDS + 3
ACTIONS: Final = CARDS + 4

HAND: Final = slice(0, CARDS)
TOP: Final = slice(CARDS, 2 * CARDS)
BELOW: Final = slice(2 * CARDS, 3 * CARDS)
WILD: Final = slice(3 * CARDS, 3 * CARDS + 13)
DRAWN: Final = WILD.stop
STOCK: Final = DRAWN + 1
SHUFFLED: Final = STOCK + 1
ACTIVE: Final = slice(SHUFFLED + 1, SHUFFLED + 7)
SIZE: Final = ACTIVE.stop

Choices: TypeAlias = dict[int, Move]


def observation(view: View) -> Row:
    """Return the observation of a seat's view."""
    row = bytearray(SIZE)  # A bytearray, because NumPy is slow at writing single bytes.
    for card in view.hand:
        row[card.index] += 1
    if view.open_pile:
        row[TOP.start + view.open_pile[-1].index] = 1
        for card in view.open_pile[:-1]:
            row[BELOW.start + card.index] += 1
    row[WILD.start + view.wild_rank - 1] = 1
    row[DRAWN] = view.drawn is not None
    row[STOCK], row[SHUFFLED] = view.stock, view.reshuffles
    seats, own = len(view.seats), view.position or 1
    for seat in view.seats:
        row[ACTIVE.start + (seat.position - own) % seats] = seat.standing == "active"
    return np.frombuffer(row, dtype=np.uint8)


def choices(view: View, legal: tuple[Move, ...]) -> Choices:
    """Return the agent's legal moves by action."""
    found: Choices = {}
    for move in legal:
        match move:
            case Discard(card=card):
                found[card.index] = move
            case Draw(source=source):
                found[DRAW_STOCK if source == "stock" else DRAW_OPEN] = move
            case Drop():
                found[DROP] = move
            case Show() if (show := closing.show(view)) is not None:
                found[SHOW] = show
    return found


def mask(offered: Choices) -> Mask:
    """Return a mask with 1 for each legal action."""
    row = np.zeros(ACTIONS, dtype=np.int8)
    row[list(offered)] = 1
    return row
