"""A game of deals: losers pay their points in chips; most chips at the end win (RB 6, 8.2)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime

from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from moneyed import Money

import rummy
from rummy import AnyRules, Rules
from tables.games.rule_text import entries_text
from tables.games.series import Series, there_at
from tables.games.thirteen.cards import ThirteenCards, thirteen_rules
from tables.models.deals import Deal
from tables.models.seats import Score, Seat
from tables.models.tables import Table
from tables.play import dealing
from tables.settlement import finishing
from tables.settlement.game_record import GameRecord, record_so_far
from tables.state.locks import LockedTable
from tables.state.rules import rules_of


class Deals(ThirteenCards, Series):
    """A fixed number of deals, with extra ones among players who tie."""

    name = "deals"
    title = _("Deals")
    summary_sentences = 2

    def thresholds(self, rules: AnyRules, entry: Money) -> str:
        return gettext("None.") if thirteen_rules(rules).drops_allowed else gettext("No drops.")

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

    def final_order(self, record: GameRecord) -> finishing.Order:
        """Rank by most chips, players who left last (RB 6)."""
        seats, chips, standing = _standing(record)
        heads = [seats[place] for place in standing.leaders] or _best_before(record)

        def rank(seat: Seat) -> tuple[bool, bool, int]:
            return seat not in heads, seat.left_at is not None, -chips[seat.pk]

        return finishing.Order(seats, heads, rank, standing.is_over)

    def deal_next(self, table: LockedTable, now: datetime) -> None:
        """Deal to everyone who stayed; an extra deal only to those tied for most chips (RB 6)."""
        seats, _, standing = _standing(record_so_far(table))
        dealing.deal_to(table, [seats[place] for place in standing.playing], now)

    def is_highest_best(self, rules: AnyRules) -> bool:
        return True

    def rules_text(self, rules: AnyRules) -> Iterator[str]:
        return _rules_text(thirteen_rules(rules))


def chips_of(record: GameRecord, *, before: Deal | None = None) -> dict[int, int]:
    """Return each seat's chips by its key, now or before a deal."""
    start = thirteen_rules(rules_of(record.table.profile)).chips
    assert start is not None, "deals rummy is played with chips"
    numbers = {deal.pk: deal.no for deal in record.deals}
    chips = {seat.pk: start + seat.extra_chips for seat in record.seats}
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
    there, chips = there_at(last, record.players), chips_of(record, before=last)
    most = max(chips[seat.pk] for seat in there)
    return [seat for seat in there if chips[seat.pk] == most]


def _rules_text(rules: Rules) -> Iterator[str]:
    yield ngettext("One deal is played.", "%(deals)s deals are played.", rules.deals or 0) % {
        "deals": rules.deals
    }
    yield ngettext(
        "Every player starts with %(chips)s chip; losers pay their points in chips to the "
        "winner of the deal. Most chips win the prize.",
        "Every player starts with %(chips)s chips; losers pay their points in chips to the "
        "winner of the deal. Most chips win the prize.",
        rules.chips or 0,
    ) % {"chips": rules.chips}
    if rules.max_extra_deals:
        yield gettext("Tied players play up to %(deals)s extra deals, then share the prize.") % {
            "deals": rules.max_extra_deals
        }
    else:
        yield gettext("Tied players share the prize.")
    yield from entries_text()
