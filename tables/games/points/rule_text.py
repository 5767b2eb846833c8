"""The rules of a points table as text for players, with an example of its prices (RB 8.1)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from django.utils.translation import gettext as _

from rummy import Rules
from rummy.money import payouts
from tables.games.points.idle import DEALS_KEPT
from tables.games.rule_text import EXAMPLE_RAKE_BPS, play_points
from tables.games.stacks import LARGEST_STACK_TIMES

EXAMPLE_POINT_MINOR: Final = 1_00


def of_the_game(rules: Rules) -> Iterator[str]:
    hold = payouts.points_hold(rules.cap, EXAMPLE_POINT_MINOR)
    yield _(
        "Every deal is settled at once: each loser pays the winner for their points. At "
        "%(point)s per point the most a player can lose in a deal is %(hold)s; that is the "
        "smallest stack."
    ) % {
        "point": play_points(EXAMPLE_POINT_MINOR),
        "hold": play_points(hold),
    }
    yield _(
        "The largest stack is %(times)s times the smallest. With less than the smallest you are "
        "not dealt in until you top up between deals; the seat is kept for %(deals)s deals."
    ) % {"times": LARGEST_STACK_TIMES, "deals": DEALS_KEPT}
    yield _("The table waits until at least two players can be dealt in.")
    payout = payouts.points_payout(
        [0, rules.first_drop, rules.cap], value=EXAMPLE_POINT_MINOR, bps=EXAMPLE_RAKE_BPS
    )
    yield _(
        "Example: losers with %(first)s and %(second)s points pay %(gross)s; at a rake of "
        "%(rate)s %% the operator keeps %(rake)s and the winner gets %(net)s."
    ) % {
        "first": rules.first_drop,
        "second": rules.cap,
        "gross": play_points(payout.gross),
        "rate": EXAMPLE_RAKE_BPS // 100,
        "rake": play_points(payout.rake),
        "net": play_points(payout.net),
    }
