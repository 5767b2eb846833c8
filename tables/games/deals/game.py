"""A game of deals: losers pay their points in chips; most chips at the end win (RB 6, 8.2)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import datetime

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from moneyed import Money

import rummy
from rummy import AnyRules
from tables.games import leavers
from tables.games.deals import rule_text
from tables.games.entries import EntryGame, NoQuestions
from tables.games.game import ScoreShown
from tables.games.thirteen.cards import ThirteenCards, thirteen_rules
from tables.models.deals import Deal
from tables.models.seats import Score, Seat
from tables.models.tables import Table
from tables.play import dealing
from tables.settlement import finishing
from tables.settlement.game_record import GameRecord, record_of
from tables.state.locks import LockedTable
from tables.state.rules import rules_of


class Deals(ThirteenCards, NoQuestions, EntryGame):
    """A fixed number of deals, with extra ones among players who tie."""

    name = "deals"
    title = _("Deals")

    def thresholds(self, rules: AnyRules, entry: Money) -> str:
        return gettext("None.") if thirteen_rules(rules).drops_allowed else gettext("No drops.")

    def is_void(self, table: Table, deal: Deal, scores: Sequence[Score]) -> bool:
        """Return whether every player left in a deal in which no one acted (RB 7.6)."""
        return not table.seats.present().exists() and not deal.was_acted_in()

    def complete(
        self, table: Table, deal: Deal, scores: Sequence[Score], read: Callable[[], GameRecord]
    ) -> None:
        """Move each loser's points as chips to the winner (RB 6)."""
        before = chips_of(read(), before=deal)
        winner = next(place for place, score in enumerate(scores) if score.how == Score.How.WON)
        after = rummy.chips.chips_after(
            [before[score.seat_id] for score in scores],
            [score.points for score in scores],
            winner,
        )
        for score, chips in zip(scores, after, strict=True):
            score.chips_after = chips

    def go_on(self, table: LockedTable, deal: Deal, now: datetime) -> None:
        """End the game after its last deal, or schedule the next one."""
        if not self.step_between(table, now):
            dealing.pause(table, now, self.deal_next)

    def go_on_after_void(self, table: LockedTable, deal: Deal, now: datetime) -> None:
        """Repeat a void deal, or end the game if too few players stayed."""
        if not table.seats.present().exists():
            self.call_off(table, deal, now)
        elif not self.step_between(table, now):
            dealing.pause(table, now, self.deal_next)

    def step_between(self, table: LockedTable, now: datetime) -> bool:
        """End the game if it is decided; players who left have forfeited their entries (RB 6)."""
        leavers.forfeit(table)
        order = self.final_order(record_of(table))
        if order.is_decided:
            finishing.finish(table, order, now=now)
        return order.is_decided

    def end_here(self, table: LockedTable, now: datetime) -> None:
        """End the game before its last deal, with the current chips (RB 10.4)."""
        leavers.forfeit(table)
        finishing.finish(table, self.final_order(record_of(table)), now=now)

    def final_order(self, record: GameRecord) -> finishing.Order:
        """Rank by most chips, players who left last (RB 6)."""
        seats, chips, standing = _standing(record)
        heads = [seats[place] for place in standing.leaders] or _best_before(record)

        def rank(seat: Seat) -> tuple[bool, bool, int]:
            return seat not in heads, seat.left_at is not None, -chips[seat.pk]

        return finishing.Order(seats, heads, rank, standing.is_over)

    def deal_next(self, table: LockedTable, now: datetime) -> None:
        """Deal to everyone who stayed; an extra deal only to those tied for most chips (RB 6)."""
        seats, _, standing = _standing(record_of(table))
        dealing.deal_to(table, [seats[place] for place in standing.playing], now)

    def call_off(self, table: LockedTable, deal: Deal, now: datetime) -> None:
        """Cancel the game; players present when the deal began share the money (RB 7.7)."""
        finishing.cancel_game(
            table, deal, now, survivors=leavers.there_at(deal, leavers.seats_of(table))
        )

    def chips(
        self, rules: AnyRules, seats: Collection[int], scores: Sequence[ScoreShown]
    ) -> dict[int, int]:
        start = thirteen_rules(rules).chips
        assert start is not None, "deals rummy is played with chips"
        passed = {score.seat_id: score.chips_after or 0 for score in scores}
        return {seat: passed.get(seat, start) for seat in seats}

    def is_highest_best(self, rules: AnyRules) -> bool:
        return True

    def rules_text(self, rules: AnyRules) -> Iterator[str]:
        return rule_text.of_the_game(thirteen_rules(rules))

    def leaving_text(self) -> Iterator[str]:
        return rule_text.of_leaving()


def chips_of(record: GameRecord, *, before: Deal | None = None) -> dict[int, int]:
    """Return each seat's chips by its key, now or before a deal."""
    start = thirteen_rules(rules_of(record.table.profile)).chips
    assert start is not None, "deals rummy is played with chips"
    numbers = {deal.pk: deal.no for deal in record.deals}
    chips = dict.fromkeys([seat.pk for seat in record.seats], start)
    for score in record.scores:
        if before is None or numbers[score.deal_id] < before.no:
            chips[score.seat_id] = score.chips_after or 0
    return chips


def _standing(record: GameRecord) -> tuple[list[Seat], dict[int, int], rummy.chips.DealsStanding]:
    seats, chips = record.players, chips_of(record)
    standing = rummy.chips.deals_standing(
        thirteen_rules(rules_of(record.table.profile)),
        [chips[seat.pk] for seat in seats],
        played=len(record.settled),
        left={place for place, seat in enumerate(seats) if seat.left_at is not None},
    )
    return seats, chips, standing


def _best_before(record: GameRecord) -> list[Seat]:
    """Return the seats with most chips before the last deal, as no one stayed (RB 7.6)."""
    last = record.last_deal
    there, chips = leavers.there_at(last, record.players), chips_of(record, before=last)
    most = max(chips[seat.pk] for seat in there)
    return [seat for seat in there if chips[seat.pk] == most]
