"""Endings and scores of a deal of straight rummy (RB 9.2-9.5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from rummy.notation.cards import Card, format_cards
from rummy.notation.states import changed
from rummy.straight.state import DealState, Ending, Seat

How = Literal["won", "lost", "left"]

UNDECIDED: Final = ("exhausted", "too_long")
"""Endings without a player going out."""


@dataclass(frozen=True, slots=True)
class Result:
    """The result of one position."""

    position: int
    points: int
    """Points won, or penalty points with penalty scoring."""
    how: How
    hand: tuple[Card, ...]
    """The cards left over."""
    hand_points: int
    """The points of these cards."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """A finished deal: who won, how it ended, one result for each position in order."""

    winner: int
    ending: Ending
    is_rummy: bool
    results: tuple[Result, ...]

    def points(self, position: int) -> int:
        """Return the points of the position.

        >>> Outcome(1, "out", False, (Result(1, 7, "won", (), 0),)).points(1)
        7
        """
        return self.results[position - 1].points


def go_out(deal: DealState, position: int) -> DealState:
    """End the deal for a position without cards, which may have gone rummy (RB 9.3).

    >>> from rummy import Stream
    >>> from rummy.straight.rules import STRAIGHT
    >>> from rummy.straight.deal import start
    >>> deal = start(STRAIGHT, players=2, stream=Stream(bytes(32)))
    >>> go_out(deal, 1).ending, go_out(deal, 1).is_rummy
    ('out', True)
    """
    ended = _ended(deal, position, "out")
    return changed(ended, is_rummy=not deal.seat(position).has_laid)


def end_if_last(deal: DealState) -> DealState:
    """End the deal if one active position is left, which wins.

    >>> from rummy import Stream
    >>> from rummy.straight.rules import STRAIGHT
    >>> from rummy.straight.deal import start
    >>> deal = start(STRAIGHT, players=2, stream=Stream(bytes(32)))
    >>> end_if_last(deal) is deal
    True
    """
    if len(deal.active) > 1:
        return deal
    return _ended(deal, deal.active[0], "last_standing")


def end_undecided(deal: DealState, ending: Literal["exhausted", "too_long"]) -> DealState:
    """End the deal after the last stock or turn: the lowest hand wins (RB 9.2).

    >>> from rummy import Stream
    >>> from rummy.straight.rules import STRAIGHT
    >>> from rummy.straight.deal import start
    >>> deal = start(STRAIGHT, players=2, stream=Stream(bytes(32)))
    >>> end_undecided(deal, "exhausted").ending, end_undecided(deal, "too_long").winner
    ('exhausted', 1)
    """
    lowest = min(deal.active, key=lambda at: (hand_points(deal, deal.seat(at)), at))
    return _ended(deal, lowest, ending)


def _ended(deal: DealState, winner: int, ending: Ending) -> DealState:
    return changed(
        deal,
        phase="ended",
        winner=winner,
        ending=ending,
        to_act=None,
        drawn=None,
        drawn_from=None,
        melds_this_turn=0,
        laid_this_turn=False,
    )


def hand_points(deal: DealState, seat: Seat) -> int:
    """Return the sum of the points of a hand's cards.

    >>> from rummy import Stream
    >>> from rummy.straight.rules import STRAIGHT
    >>> from rummy.straight.deal import start
    >>> deal = start(STRAIGHT, players=2, stream=Stream(bytes(32)))
    >>> hand_points(deal, deal.seats[1])
    68
    """
    return sum(map(deal.rules.points_of, seat.hand))


def outcome(deal: DealState) -> Outcome | None:
    """Return the deal's result, or None while it is played.

    >>> from rummy import Stream, parse_move
    >>> from rummy.straight.rules import STRAIGHT
    >>> from rummy.straight.deal import start
    >>> from rummy.straight.turns import apply
    >>> deal = start(STRAIGHT, players=2, stream=Stream(bytes(32)))
    >>> ended = outcome(apply(deal, parse_move("p2 leave")))
    >>> ended.winner, ended.ending, [result.points for result in ended.results]
    (1, 'last_standing', [68, 0])
    """
    if deal.winner is None or deal.ending is None:
        return None
    worth = [hand_points(deal, seat) for seat in deal.seats]
    points = _penalties(deal, worth) if deal.rules.scoring == "penalty" else _gains(deal, worth)
    results = []
    for at, seat in enumerate(deal.seats, start=1):
        how: How = "won" if at == deal.winner else "lost" if seat.is_active else "left"
        results.append(Result(at, points[at - 1], how, seat.hand, worth[at - 1]))
    return Outcome(deal.winner, deal.ending, deal.is_rummy, tuple(results))


def _gains(deal: DealState, worth: list[int]) -> list[int]:
    """Return the winner's points: the others' hands, or their excess over the winner's hand."""
    assert deal.winner is not None, "only a deal that is over has gains"
    own = worth[deal.winner - 1] if deal.ending in UNDECIDED else 0
    others = [points for at, points in enumerate(worth, start=1) if at != deal.winner]
    gained = sum(max(0, points - own) for points in others)
    if deal.is_rummy:
        bonus = deal.rules.rummy_bonus
        gained = 2 * gained if bonus is None else gained + bonus
    return [gained if at == deal.winner else 0 for at in range(1, deal.players + 1)]


def _penalties(deal: DealState, worth: list[int]) -> list[int]:
    """Return the penalty points of all hands; going rummy doubles them or adds a bonus."""
    assert deal.winner is not None, "only a deal that is over has penalties"
    if deal.ending in UNDECIDED:
        return worth
    bonus = deal.rules.rummy_bonus
    times = 2 if deal.is_rummy and bonus is None else 1
    points = [times * each for each in worth]
    points[deal.winner - 1] = -bonus if deal.is_rummy and bonus else 0
    return points


def result_lines(deal: DealState) -> list[str]:
    """Return the lines of a history file with the result; [] while the deal is played.

    >>> from rummy import Stream
    >>> from rummy.straight.rules import STRAIGHT
    >>> from rummy.straight.deal import start
    >>> deal = start(STRAIGHT, players=2, stream=Stream(bytes(32)))
    >>> result_lines(end_if_last(deal)), result_lines(go_out(deal, 1))[:1]
    ([], ['ending: out rummy'])
    """
    ended = outcome(deal)
    if ended is None:
        return []
    return [
        f"ending: {ended.ending}{' rummy' if ended.is_rummy else ''}",
        *(
            f"p{each.position}: {each.points} {each.how} {format_cards(each.hand)}".rstrip()
            for each in ended.results
        ),
    ]


def opening_lines(deal: DealState) -> list[str]:
    """Return the lines of a history file with the cards at the start.

    >>> from rummy import Stream
    >>> from rummy.straight.rules import STRAIGHT
    >>> from rummy.straight.deal import start
    >>> deal = start(STRAIGHT, players=2, stream=Stream(bytes(32)))
    >>> opening_lines(deal)[0], opening_lines(deal)[2]
    ('p1: 6D 5H QH 7D QD 3C QS 3D 3S JS', 'up: 4D')
    """
    return [
        *(f"p{at}: {format_cards(seat.hand)}" for at, seat in enumerate(deal.seats, start=1)),
        f"up: {format_cards(deal.pile)}",
        f"stock: {format_cards(deal.stock)}",
    ]
