"""Lines of a history file for readers: the cards at the start, and the result."""

from __future__ import annotations

from rummy.notation.cards import format_cards
from rummy.thirteen.endings import outcome
from rummy.thirteen.state import DealState


def opening_lines(deal: DealState) -> list[str]:
    """Return the lines with the cards at the start.

    >>> from rummy import PROFILES, Stream
    >>> from rummy.thirteen.deal import start
    >>> deal = start(PROFILES["total-rummy-pool-101"], players=2, stream=Stream(bytes(32)))
    >>> opening_lines(deal)[3] == f"wild: {deal.wild}"
    True
    """
    lines = [f"p{at}: {format_cards(seat.hand)}" for at, seat in enumerate(deal.seats, start=1)]
    return [
        *lines,
        f"up: {format_cards(deal.pile)}",
        f"wild: {deal.wild}",
        f"stock: {format_cards(deal.stock)}",
    ]


def result_lines(deal: DealState) -> list[str]:
    """Return the lines with the result; [] while the deal is played.

    >>> from rummy import PROFILES, Stream
    >>> from rummy.thirteen.deal import start
    >>> deal = start(PROFILES["total-rummy-pool-101"], players=2, stream=Stream(bytes(32)))
    >>> result_lines(deal)
    []
    """
    ended = outcome(deal)
    if ended is None:
        return []
    lines = [f"ending: {ended.ending}"]
    for result in ended.results:
        laid = result.arrangement.to_text() if result.arrangement else " ".join(result.reasons)
        lines.append(f"p{result.position}: {result.points} {result.how} {laid}".rstrip())
    return lines
