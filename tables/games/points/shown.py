"""A points table's part of views, terms and the page of rules (RB 8.1)."""

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
from tables.games.points import funds, words
from tables.games.thirteen.cards import thirteen_rules
from tables.models.profiles import StakeMode
from tables.models.seats import SeatQuerySet
from tables.models.tables import Table
from wallet.ledger.money import as_text
from wallet.stakes import stacks


class PointsTerms:
    """A point has a price, and the smallest stack follows from it."""

    price_field = "point_value"
    has_end = False

    def price(self, rules: AnyRules, minor: int) -> Price:
        return Price(rummy.payouts.points_hold(thirteen_rules(rules).cap, minor), minor)

    def price_minor(self, terms: Priced) -> int:
        return terms.point_value_minor

    def refuse_price(self, rules: AnyRules, price: Price, stake_mode: str) -> None:
        if price.point_value_minor <= 0 or stake_mode != StakeMode.CASH:
            raise GameNotOffered(f"{rules.name} is played for a price of each point.")
        smallest = rummy.payouts.points_hold(thirteen_rules(rules).cap, price.point_value_minor)
        if price.entry_minor != smallest:
            wrong = price.entry_minor
            raise GameNotOffered(f"The smallest stack here is {smallest} minor units, not {wrong}.")

    def stop_at(self, survivors: int) -> int:
        return 1

    def thresholds(self, rules: AnyRules, entry: Money) -> str:
        return _("Smallest stack %(stack)s, largest ten times that.") % {"stack": as_text(entry)}


class PointsShown(PlainTotals):
    """Show stacks instead of a prize, and two deals at most: seats change their numbers."""

    def stacks(self, table: Table) -> Mapping[int, int]:
        """Return the present stacks, whatever moment is asked about."""
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
        """Return the seats of players who are there, and those that were just dealt in."""
        return seats.filter(Q(left_at__isnull=True) | Q(pk__in=dealt_in))

    def entries_paid(self, until: datetime | None) -> Q | None:
        """Return None: all of them count, since the next top-up is numbered after them."""
        return None

    def first_deal_shown(self, no: int) -> int:
        return no - 1

    def score_sheet(self, scores: Sequence[AScore]) -> Sequence[AScore]:
        return ()

    def opens_seed(self, deal_id: int, seat_id: int, places: Sequence[PlaceShown]) -> bool:
        """Return whether the seat was dealt in: the seed shows every hand of the deal."""
        return any(place.deal_id == deal_id and place.seat_id == seat_id for place in places)

    def words(self, rules: AnyRules) -> Iterator[str]:
        return words.of_the_game(thirteen_rules(rules))

    def words_of_toss(self) -> Iterator[str]:
        return words.of_toss()

    def words_before_leaving(self) -> Iterator[str]:
        return words.before_leaving()

    def words_of_leaving(self) -> Iterator[str]:
        return words.of_leaving()
