"""What an absent player has missed: the deal's last two moves, and the clock's (RB 5.8)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, TypedDict

import rummy
from tables.models.deals import Move
from tables.models.seats import Seat
from tables.view.context import ViewContext
from tables.view.schemas import Act

ACTS_SHOWN: Final = 2

# Most moves are the same few hundred texts at every table.
_read = lru_cache(maxsize=4096)(rummy.parse_move)


def last_acts(context: ViewContext, seen: rummy.AnyView) -> list[Act]:
    """Return the deal's last two moves, the older one first.

    A card drawn from the stock is shown only to the player who holds it as the drawn card. A card
    taken from the open pile is named if one of the latest moves discarded it.
    """
    moves = [_read(text) for _, text in context.latest]
    seats = {position: pk for pk, position in context.positions.items()}
    numbers = {seat.pk: seat.number for seat in context.seats}
    melds = context.game.meld_rules(context.rules)
    goes_back = melds is None or melds.may_discard_taken
    shown = range(max(0, len(moves) - ACTS_SHOWN), len(moves))
    return [
        Act(
            ply=context.latest[at][0],
            seat=numbers.get(seats[moves[at].position]),
            kind=_kind(moves[: at + 1]),
            card=_card(moves[: at + 1], moves[at + 1 :], seen, goes_back=goes_back),
        )
        for at in shown
    ]


def _kind(moves: Sequence[rummy.Move]) -> str:
    move = moves[-1]
    if isinstance(move, rummy.Draw):
        return move.source
    return "throw" if _throws(moves) else move.action


def _throws(moves: Sequence[rummy.Move]) -> bool:
    """Return whether the last move puts a card on the open pile."""
    move = moves[-1]
    if (
        isinstance(move, rummy.Miss) and len(moves) > 1
    ):  # After a draw, a card is discarded (RB 5.8).
        before = moves[-2]
        has_drawn = isinstance(before, rummy.Draw | rummy.Meld | rummy.LayOff)
        return has_drawn and before.position == move.position
    return isinstance(move, rummy.Discard)


def _card(
    moves: Sequence[rummy.Move],
    later: Sequence[rummy.Move],
    seen: rummy.AnyView,
    *,
    goes_back: bool,
) -> str | None:
    """Return the card of the last of `moves`, if the viewer has seen it.

    `goes_back` is whether a card taken from the open pile may be discarded in the same turn.
    """
    move = moves[-1]
    if isinstance(move, rummy.Draw) and move.source == "stock":
        is_mine = not later and move.position == seen.position and seen.drawn is not None
        return str(seen.drawn) if is_mine else None
    if isinstance(move, rummy.Draw):
        return _on_top(moves[:-1], goes_back=goes_back)
    if isinstance(move, rummy.LayOff | rummy.Discard):
        return str(move.card)
    if not _throws(moves):
        return None
    moved_on = any(
        isinstance(each, rummy.TurnOver) or (isinstance(each, rummy.Draw) and each.source == "open")
        for each in later
    )
    return _on_top(moves, goes_back=goes_back) if moved_on else str(seen.open_pile[-1])


def _on_top(moves: Sequence[rummy.Move], *, goes_back: bool) -> str | None:
    """Return the top of the open pile after these moves, or None if none of them shows it."""
    above = 0  # Cards above it that were taken.
    for at in range(len(moves) - 1, -1, -1):
        move = moves[at]
        if isinstance(move, rummy.TurnOver):  # Its first card is now open.
            return None
        if isinstance(move, rummy.Draw) and move.source == "open":
            above += 1
        elif _throws(moves[: at + 1]):
            if above == 0:
                return _thrown(moves[: at + 1], goes_back=goes_back)
            above -= 1
    return None


def _thrown(moves: Sequence[rummy.Move], *, goes_back: bool) -> str | None:
    """Return the card that the last of these moves discarded, if the moves show it."""
    if isinstance(moves[-1], rummy.Discard):
        return str(moves[-1].card)
    drawn = moves[-2]
    is_returned = goes_back and isinstance(drawn, rummy.Draw) and drawn.source == "open"
    return _on_top(moves[:-2], goes_back=goes_back) if is_returned else None


class ClockPlayed(TypedDict):
    clock_played: list[str] | None
    misses_left: int | None


def clock_played(context: ViewContext, mine: Seat, here: rummy.AnySeatView) -> ClockPlayed:
    """Return the clock's moves since the player's last one; queries only after a missed turn."""
    if not here.misses:
        return {"clock_played": None, "misses_left": None}
    moves = Move.objects.filter(deal=context.deal, seat=mine.pk, version__lte=context.version)
    latest = moves.order_by("-ply").values_list("text", "origin")[: here.misses]
    assert context.state is not None, "turns are missed in a deal"
    allowed = context.rules.misses_allowed_for(context.state.players)
    played = [text.split(maxsplit=1)[1] for text, origin in latest if origin == Move.Origin.CLOCK]
    return {
        "clock_played": played[::-1],
        "misses_left": max(0, allowed - here.misses),
    }
