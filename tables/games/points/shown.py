"""A points table's part of views, terms and the rules page (RB 8.1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from django.db.models import Q
from django.utils.translation import gettext as _
from moneyed import Money

import rummy
from rummy import AnyRules
from tables.exceptions import GameNotOffered
from tables.games.entries import PlainTotals
from tables.games.game import (
    AScore,
    PlaceShown,
    Price,
    Priced,
    SeatShown,
    StackBounds,
)
from tables.games.points import funds, rule_text
from tables.games.thirteen.cards import thirteen_rules
from tables.models.profiles import StakeMode
from tables.models.seats import SeatQuerySet
from tables.models.tables import Table
from wallet.ledger.money import as_text
from wallet.stakes import stacks


class PointsTerms:
    """A price per point, from which the smallest stack follows."""

    price_field = "point_value"
    has_end = False

    def price(self, rules: AnyRules, minor: int) -> Price:
        return Price(rummy.payouts.points_hold(thirteen_rules(rules).cap, minor), minor)

    def price_minor(self, terms: Priced) -> int:
        return terms.point_value_minor

    def refuse_price(self, rules: AnyRules, price: Price, stake_mode: str) -> None:
        if price.point_value_minor <= 0 or stake_mode != StakeMode.CASH:
            raise GameNotOffered(f"{rules.name} needs a price per point.")
        smallest = rummy.payouts.points_hold(thirteen_rules(rules).cap, price.point_value_minor)
        if price.entry_minor != smallest:
            wrong = price.entry_minor
            raise GameNotOffered(f"The smallest stack here is {smallest} minor units, not {wrong}.")

    def stop_at(self, survivors: int) -> int:
        return 1

    def thresholds(self, rules: AnyRules, entry: Money) -> str:
        return _("Smallest stack: %(stack)s. Largest: ten times as much.") % {
            "stack": as_text(entry)
        }


class PointsShown(PlainTotals):
    """Show stacks instead of a prize, and at most two deals: seats change their numbers."""

    def stacks(self, table: Table) -> Mapping[int, int]:
        """Return the current stacks, for views of any moment."""
        return stacks.stacks_in(table.escrow)

    def stack_of(self, stacks: Mapping[int, int], player_id: int) -> int | None:
        return stacks.get(player_id, 0)

    def stack_bounds(self, table: Table) -> StackBounds:
        most = funds.largest_stack_minor(table)
        return StackBounds(table.point_value_minor, funds.smallest_stack_minor(table), most)

    def is_short(self, table: Table, stack: int | None) -> bool:
        return (stack or 0) < funds.smallest_stack_minor(table)

    def next_payment(self, entries: int) -> int | None:
        return entries + 1

    def is_counting_down(
        self, table: Table, seats: Sequence[SeatShown], stacks: Mapping[int, int]
    ) -> bool:
        smallest = funds.smallest_stack_minor(table)
        there = [s for s in seats if s.left_at is None and s.sits_out_since is None]
        return sum(stacks.get(seat.player_id, 0) >= smallest for seat in there) >= 2

    def seats_on_show(self, table: Table, seats: SeatQuerySet, *, dealt_in: object) -> SeatQuerySet:
        """Return the seats of present players, and seats just dealt in."""
        return seats.filter(Q(left_at__isnull=True) | Q(pk__in=dealt_in))

    def entries_paid(self, until: datetime | None) -> Q | None:
        """Return None: all entries count, because the next top-up is numbered after them."""
        return None

    def first_deal_shown(self, no: int) -> int:
        return no - 1

    def score_sheet(self, scores: Sequence[AScore]) -> Sequence[AScore]:
        return ()

    def opens_seed(self, deal_id: int, seat_id: int, places: Sequence[PlaceShown]) -> bool:
        """Return whether the seat was dealt in: the seed reveals every hand of the deal."""
        return any(place.deal_id == deal_id and place.seat_id == seat_id for place in places)

    def rules_text(self, rules: AnyRules) -> Iterator[str]:
        return rule_text.of_the_game(thirteen_rules(rules))

    def toss_text(self) -> Iterator[str]:
        return rule_text.of_toss()

    def text_before_leaving(self) -> Iterator[str]:
        return rule_text.before_leaving()

    def leaving_text(self) -> Iterator[str]:
        return rule_text.of_leaving()
