"""A points table's terms, and its part of views and the rules page (RB 8.1)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Final

from django.db.models import Q
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from moneyed import Money

import rummy
from rummy import AnyRules, Rules
from rummy.money import payouts
from tables.exceptions import GameNotOffered
from tables.games.game import Price, Priced, Shown, Terms
from tables.games.points.idle import DEALS_KEPT
from tables.games.rule_text import EXAMPLE_RAKE_BPS, play_points
from tables.games.stacks import LARGEST_STACK_TIMES
from tables.games.thirteen.cards import thirteen_rules
from tables.models.seats import SeatQuerySet
from tables.models.tables import StakeMode, Table
from wallet.ledger.money import as_text

EXAMPLE_POINT_MINOR: Final = 1_00


class PointsTerms(Terms, Shown):
    """A price per point, from which the smallest stack follows; stacks instead of a prize."""

    name = "points"
    title = gettext_lazy("Points")
    price_field = "point_value"
    has_end = False
    has_stacks = True

    def price(self, rules: AnyRules, minor: int) -> Price:
        return Price(rummy.payouts.points_hold(thirteen_rules(rules).cap, minor), minor)

    def price_minor(self, terms: Priced) -> int:
        return terms.point_value_minor

    def refuse_price(self, rules: AnyRules, price: Price, stake_mode: str) -> None:
        if price.point_value_minor <= 0 or stake_mode != StakeMode.CASH:
            raise GameNotOffered(f"{rules.name} needs a price per point.")
        smallest = self.price(rules, price.point_value_minor).entry_minor
        if price.entry_minor != smallest:
            wrong = price.entry_minor
            raise GameNotOffered(f"The smallest stack here is {smallest} minor units, not {wrong}.")

    def thresholds(self, rules: AnyRules, entry: Money) -> str:
        return _("Smallest stack: %(stack)s. Largest: ten times as much.") % {
            "stack": as_text(entry)
        }

    def seats_on_show(self, table: Table, seats: SeatQuerySet, *, dealt_in: object) -> SeatQuerySet:
        """Return the seats of present players, and seats just dealt in."""
        return seats.filter(Q(left_at__isnull=True) | Q(pk__in=dealt_in))

    def entries_paid(self, until: datetime | None) -> Q | None:
        """Return None: all entries count, because the next top-up is numbered after them."""
        return None

    def rules_text(self, rules: AnyRules) -> Iterator[str]:
        return _rules_text(thirteen_rules(rules))

    def toss_text(self) -> Iterator[str]:
        yield _("If the players dealt in have changed since the last deal, there is a new toss.")

    def text_before_leaving(self) -> Iterator[str]:
        yield _("Between deals you may leave at any time with your whole stack.")

    def leaving_text(self) -> Iterator[str]:
        yield _("The rest of the stack is paid out when that deal is settled.")


def _rules_text(rules: Rules) -> Iterator[str]:
    hold = payouts.points_hold(rules.cap, EXAMPLE_POINT_MINOR)
    yield _("Every deal is settled at once: each loser pays the winner for their points.")
    yield _(
        "At %(point)s per point the most a player can lose in a deal is %(hold)s; that is the "
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
