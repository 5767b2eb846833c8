"""Endings and scores of a deal (RB 4, 5.5-5.7)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rummy.notation.cards import format_cards
from rummy.notation.rules import Rules
from rummy.notation.states import changed
from rummy.solver.arrangement import Arrangement, best_arrangement, hand_points
from rummy.solver.declaration import check_declaration
from rummy.solver.groups import Group, GroupVerdict, judge_group
from rummy.thirteen.state import DealState, Ending

How = Literal["won", "lost", "first_drop", "middle_drop", "wrong_show"]


@dataclass(frozen=True, slots=True)
class Result:
    """The result of one position."""

    position: int
    points: int
    how: How
    arrangement: Arrangement | None
    """The winner's declaration or a loser's best arrangement; None if out before the end."""
    submitted: tuple[GroupVerdict, ...] = ()
    """The groups sent by the player, each with its kind (RB 4.1)."""
    reasons: tuple[str, ...] = ()
    """Why a show was wrong (RB 3.3)."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """A finished deal: who won, how it ended, one result for each position in order."""

    winner: int
    ending: Ending
    results: tuple[Result, ...]

    def points(self, position: int) -> int:
        """Return the points of the position.

        >>> from rummy import PROFILES, Stream
        >>> from rummy.thirteen.deal import start
        >>> deal = start(PROFILES["total-rummy-pool-101"], players=2, stream=Stream(bytes(32)))
        >>> ended = outcome(end_exhausted(deal))
        >>> ended.winner, ended.points(1)
        (1, 0)
        """
        return self.results[position - 1].points


def open_window(deal: DealState, declarer: int) -> DealState:
    """Open the meld window after a valid show; without positions to answer end the deal (RB 5.6).

    >>> from rummy import PROFILES, Stream
    >>> from rummy.thirteen.deal import start
    >>> deal = start(PROFILES["total-rummy-pool-101"], players=2, stream=Stream(bytes(32)))
    >>> shown = open_window(deal, 2)
    >>> shown.phase, shown.waiting
    ('showing', frozenset({1}))
    """
    return changed(
        deal,
        phase="showing",
        ending="show",
        winner=declarer,
        waiting=frozenset(deal.active) - {declarer},
        to_act=None,
        drawn=None,
        drawn_from=None,
    )


def end_if_last(deal: DealState) -> DealState:
    """End the deal if one active position is left, which wins with 0 (RB 5.7).

    >>> from rummy import PROFILES, Stream
    >>> from rummy.thirteen.deal import start
    >>> deal = start(PROFILES["total-rummy-pool-101"], players=2, stream=Stream(bytes(32)))
    >>> end_if_last(deal) is deal
    True
    """
    if len(deal.active) > 1:
        return deal
    return _ended(deal, deal.active[0], "last_standing")


def end_exhausted(deal: DealState) -> DealState:
    """End the deal after the last stock: the lowest hand wins (RB 5.5).

    >>> from rummy import PROFILES, Stream
    >>> from rummy.thirteen.deal import start
    >>> deal = start(PROFILES["total-rummy-pool-101"], players=2, stream=Stream(bytes(32)))
    >>> end_exhausted(deal).ending
    'exhausted'
    """
    exact = {
        position: hand_points(deal.seat(position).hand, wild=deal.wild, rules=deal.rules)
        for position in deal.active
    }
    lowest = min(deal.active, key=lambda position: (exact[position], position))
    return _ended(deal, lowest, "exhausted")


def _ended(deal: DealState, winner: int, ending: Ending) -> DealState:
    return changed(
        deal,
        phase="ended",
        winner=winner,
        ending=ending,
        to_act=None,
        drawn=None,
        drawn_from=None,
    )


def outcome(deal: DealState) -> Outcome | None:
    """Return the deal's result, or None while it is played.

    >>> from rummy import PROFILES, Stream
    >>> from rummy.thirteen.deal import start
    >>> deal = start(PROFILES["total-rummy-pool-101"], players=2, stream=Stream(bytes(32)))
    >>> from rummy.notation.moves import parse_move
    >>> from rummy.thirteen.turns import apply
    >>> outcome(deal) is None
    True
    >>> ended = outcome(apply(deal, parse_move("p1 drop")))
    >>> ended.winner, ended.ending, [result.points for result in ended.results]
    (2, 'last_standing', [20, 0])
    """
    if deal.phase != "ended" or deal.winner is None or deal.ending is None:
        return None
    results = tuple(_result(deal, position) for position in range(1, deal.players + 1))
    return Outcome(deal.winner, deal.ending, results)


def _result(deal: DealState, position: int) -> Result:
    seat = deal.seat(position)
    submitted = tuple(
        judge_group(group, wild=deal.wild, rules=deal.rules) for group in seat.groups or ()
    )
    if seat.standing != "active":
        return Result(position, seat.points, seat.standing, None, submitted, seat.reasons)
    if position == deal.winner:
        arrangement = _declared(deal, position) or _exact(deal, position)
        return Result(position, 0, "won", arrangement, submitted)
    best = _exact(deal, position)
    has_had_turn = seat.has_drawn or seat.misses > 0 or deal.ending != "show"
    points = loss(deal.rules, best.points, has_had_turn=has_had_turn, is_absent=seat.misses > 0)
    return Result(position, points, "lost", best, submitted)


def loss(rules: Rules, points: int, *, has_had_turn: bool, is_absent: bool) -> int:
    """Return the points of a loser whose hand costs `points` (RB 4.6-4.8).

    >>> from rummy import PROFILES
    >>> rules = PROFILES["total-rummy-points"].with_(least_loss=2, half_without_turn=True)
    >>> loss(rules, 25, has_had_turn=False, is_absent=False)
    12
    >>> loss(rules, 0, has_had_turn=True, is_absent=False)
    2
    """
    if is_absent and rules.absent_pays_lower:
        points = min(points, rules.drop_when_absent)
    if rules.half_without_turn and not has_had_turn:
        points //= 2
    return max(points, rules.least_loss)


def _exact(deal: DealState, position: int) -> Arrangement:
    """Return the best arrangement of a hand, independent of the player's groups (RB 4.1)."""
    return best_arrangement(deal.seat(position).hand, wild=deal.wild, rules=deal.rules)


def _declared(deal: DealState, position: int) -> Arrangement | None:
    """Return the winner's groups as declared."""
    seat = deal.seat(position)
    if deal.ending != "show" or seat.groups is None:
        return None
    verdict = check_declaration(seat.groups, wild=deal.wild, rules=deal.rules, held=seat.hand)
    groups = tuple(Group(v.kind, v.cards) for v in verdict.groups if v.kind is not None)
    loose = list(seat.hand)
    for card in (card for group in groups for card in group.cards):
        loose.remove(card)
    return Arrangement(groups, tuple(loose), 0, 0, None)


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
