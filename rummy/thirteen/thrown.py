"""The position that discarded each card of the open pile, computed from the public moves."""

from __future__ import annotations

from collections.abc import Iterable

from rummy.notation.moves import Discard, Draw, Miss, Move


def thrown_by(moves: Iterable[Move], *, cards: int) -> list[int | None]:
    """Return the position that discarded each of the pile's cards, top last; None for the up-card.

    `cards` is the present size of the pile: a reshuffle removes the lower ones (RB 5.7).

    >>> from rummy.notation.moves import parse_move
    >>> texts = ["p1 ds", "p1 x 7H", "p2 do", "p2 x 9C", "p3 ds", "p3 miss", "p1 miss"]
    >>> thrown_by(map(parse_move, texts), cards=3)
    [None, 2, 3]
    """
    pile: list[int | None] = [None]
    has_drawn: int | None = None
    for move in moves:
        if isinstance(move, Draw):
            has_drawn = move.position
            if move.source == "open":
                pile.pop()
        elif move.position == has_drawn:
            if isinstance(move, Discard | Miss):  # The clock discards the drawn card (RB 5.8).
                pile.append(move.position)
            has_drawn = None
    return pile[len(pile) - cards :]
