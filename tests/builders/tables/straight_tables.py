"""Tables of straight rummy, and deals of it brought to an end through the services."""

from __future__ import annotations

import hashlib
import hmac
import random
from itertools import count
from typing import Any

from rummy import StraightRules, Stream, toss
from rummy.straight import HOUSE_RULES, PROFILES, start
from tables.models.tables import Table
from tables.state.fold import fold_of
from tests.builders.tables.crowd import People
from tests.builders.tables.deals import settle
from tests.builders.tables.making import NO_PAUSES, make_game
from tests.builders.tables.playing import deal_at, move, reread


def straight_rules(base: str = "straight", *house_rules: str, **overrides: Any) -> StraightRules:
    """These rules without pauses; a deal is lost with the first missed turn."""
    fields = {field: value for name in house_rules for field, value in HOUSE_RULES[name].items()}
    changed = NO_PAUSES | {"misses_allowed": 1} | fields | overrides
    digest = hashlib.sha256(repr(sorted(changed.items())).encode()).hexdigest()
    return PROFILES[base].with_(name=f"test {base} {digest[:16]}", **changed)


def make_straight_game(
    players: int = 2, *house_rules: str, bots_fill: bool = False, **overrides: Any
) -> Table:
    """A table at which everybody sits and the first turn has begun."""
    rules = straight_rules("straight", *house_rules, **overrides)
    return make_game(players=players, rules=rules, bots_fill=bots_fill)


def seed_of_a_tie(rules: StraightRules) -> str:
    """A simulation's seed by which the last of three and then the first win equal points.

    They win by waiting: the last of deal 1, then the first, who plays last in deal 2.
    """
    for number in count():
        seed, hands = f"a tie {number}", []
        for no in (1, 2):
            stream = Stream(hmac.digest(seed.encode(), f"a tie/{no}".encode(), "sha256"))
            if no == 1:
                _, stream = toss(stream, 3)
            hands.append(start(rules, players=3, stream=stream).seats[:2])
        first, second = (
            sum(rules.points_of(card) for s in two for card in s.hand) for two in hands
        )
        if first == second:
            return seed
    raise AssertionError("there are ties")


def seed_of_tied_penalties(rules: StraightRules) -> str:
    """A simulation's seed by which the first and the third of three tie at the lowest penalties.

    As in `seed_of_a_tie` they win deals 1 and 2 by waiting. The second reaches 40, and neither of
    the tied does in their own deal, the third.
    """
    for number in count():
        seed, worths = f"penalties {number}", []
        for no in (1, 2, 3):
            stream = Stream(hmac.digest(seed.encode(), f"a tie/{no}".encode(), "sha256"))
            if no == 1:
                _, stream = toss(stream, 3)
            seats = start(rules, players=2 if no == 3 else 3, stream=stream).seats
            worths.append([sum(map(rules.points_of, seat.hand)) for seat in seats])
        (first, second, _), (more, third, _), (lost, _) = worths
        if first == third < second < 40 <= second + more and first + lost < 40:
            return seed
    raise AssertionError("there are ties")


def worth_of(table: Table, position: int) -> int:
    """Return the points of the cards that a position holds."""
    state = fold_of(deal_at(table)).state
    return sum(map(state.rules.points_of, state.seats[position - 1].hand))


def win_by_waiting(table: Table, position: int) -> int:
    """Let all others miss their turns until this position has won the deal; return its points."""
    deal = deal_at(table)
    while reread(table).phase == Table.Phase.PLAYING:
        at = fold_of(deal).state.to_act
        if at == position:
            move(table, at, "ds")
            move(table, at, f"x {fold_of(deal).state.drawn}")
        else:
            People(reread(table), random.Random(0)).wait()
    return {score.seat_id: score.points for score in settle(table).scores.all()}[
        deal.deal_seats.get(position=position).seat_id
    ]
