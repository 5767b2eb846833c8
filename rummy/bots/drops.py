"""The first drop by the measured tables of `rummy.numbers`."""

from __future__ import annotations

from collections.abc import Sequence

from rummy.bots.prospects import own_seat
from rummy.numbers.lookup import expected_cost, expected_net, expected_pool_gain, hand_class
from rummy.solver.arrangement import hand_price
from rummy.thirteen.views import View


def first_drop(view: View, totals: Sequence[int]) -> bool | None:
    """Return whether to drop the dealt hand; None if the tables do not decide.

    They decide if the 95 % interval of playing on is on one side of the drop's price. `totals` are
    those of all positions in a pool; a drop that would eliminate the seat is never made.

    >>> from rummy.notation.profiles import PROFILES
    >>> from rummy.notation.shuffle import Stream
    >>> from rummy.thirteen import start
    >>> deal = start(PROFILES["total-rummy-points"], players=2, stream=Stream(bytes(32)))
    >>> first_drop(deal.view(2), ())
    False
    """
    rules, own, players = view.rules, own_seat(view), len(view.seats)
    _, jokers, pure, gate = _facts(view)
    if rules.limit is None or len(totals) != players:
        least = -rules.first_drop
        found = expected_net(
            rules.name,
            players=players,
            position=own.position,
            jokers=jokers,
            pure=pure,
            gate=gate,
            price=rules.first_drop,
        )
    else:
        least, mine = 0, totals[own.position - 1]
        if mine + rules.first_drop >= rules.limit:
            return False
        others = (sum(totals) - mine) / (players - 1)
        hand = hand_class(jokers=jokers, pure=pure, gate=gate)
        found = expected_pool_gain(rules.name, players=players, own=mine, others=others, hand=hand)
    if found is None or found.low <= least <= found.high:
        return None
    return found.high < least


def mean_cost(view: View, profile: str) -> float | None:
    """Return the points a dealt hand costs on average if it is played on; None if not measured.

    It is negative if such hands win; in a pool a win brings no points. `profile` names the rules
    that were measured.

    >>> from rummy.notation.profiles import PROFILES
    >>> from rummy.notation.shuffle import Stream
    >>> from rummy.thirteen import start
    >>> deal = start(PROFILES["total-rummy-points"], players=2, stream=Stream(bytes(32)))
    >>> mean_cost(deal.view(2), "total-rummy-points") < 20
    True
    """
    points, jokers, pure, gate = _facts(view)
    measure, sign = (expected_net, -1) if view.rules.limit is None else (expected_cost, 1)
    found = measure(
        profile,
        players=len(view.seats),
        position=own_seat(view).position,
        points=points,
        jokers=jokers,
        pure=pure,
        gate=gate,
    )
    return found and sign * found.mean


def _facts(view: View) -> tuple[int, int, bool, bool]:
    """Return the hand's points and jokers, and whether it has a pure sequence and the gate."""
    points, unmet = hand_price(view.hand, wild=view.wild, rules=view.rules)
    jokers = sum(card.is_joker(view.wild_rank) for card in view.hand)
    return points, jokers, unmet != "no_pure_sequence", unmet is None
