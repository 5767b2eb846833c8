"""Straight rummy from deal to deal: to a target, or for a number of rounds (RB 9.5)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from moneyed import Money

from rummy import AnyRules, straight
from tables.games import leavers
from tables.games.entries import EntryGame, NoQuestions
from tables.games.straight import rule_words
from tables.games.straight.cards import StraightCards, straight_rules
from tables.models.deals import Deal
from tables.models.seats import Score, Seat
from tables.models.tables import Table
from tables.play import dealing
from tables.settlement import finishing
from tables.settlement.game_record import GameRecord, record_of
from tables.state.locks import LockedTable
from tables.state.rules import rules_of


class Straight(StraightCards, NoQuestions, EntryGame):
    """Deals add up until the best total is clear; leaders who tie play on."""

    def __init__(self, name: str, title: Promise) -> None:
        self.name, self.title = name, title

    def thresholds(self, rules: AnyRules, entry: Money) -> str:
        return " ".join(rule_words.of_the_end(straight_rules(rules)))

    def is_void(self, table: Table, deal: Deal, scores: Sequence[Score]) -> bool:
        """Return whether everybody has left in a deal in which nobody acted (RB 7.6)."""
        return not table.seats.present().exists() and not deal.was_acted_in()

    def complete(
        self, table: Table, deal: Deal, scores: Sequence[Score], read: Callable[[], GameRecord]
    ) -> None:
        """Add nothing: points are all that counts."""

    def go_on(self, table: LockedTable, deal: Deal, now: datetime) -> None:
        """End the game once it is won, or wait for the next deal."""
        if not self.step_between(table, now):
            dealing.pause(table, now, self.deal_next)

    def go_on_after_void(self, table: LockedTable, deal: Deal, now: datetime) -> None:
        """Deal again as if the deal had not been, or end the game if too few stayed."""
        if not table.seats.present().exists():
            self.call_off(table, deal, now)
        else:
            self.go_on(table, deal, now)

    def step_between(self, table: LockedTable, now: datetime) -> bool:
        """End the game if it is decided; those who left have forfeited their entries."""
        leavers.forfeit(table)
        if not _is_decided(record_of(table)):
            return False
        self.end_here(table, now)
        return True

    def end_here(self, table: LockedTable, now: datetime) -> None:
        """End the game with the totals as they are, those who left behind (RB 10.4)."""
        leavers.forfeit(table)
        finishing.finish(table, self.final_order(record_of(table)), now=now)

    def final_order(self, record: GameRecord) -> finishing.Order:
        """Rank the leaders, then who was dealt in to the end, then the better total."""
        contenders = _contenders(record)
        leaders = _tied(record, contenders) if contenders else _heirs(record)
        totals, sign = record.totals(), _sign(record.table)

        def rank(seat: Seat) -> tuple[bool, bool, bool, int]:
            has_left, total = seat.left_at is not None, sign * totals[seat.pk]
            return seat not in leaders, seat not in contenders, has_left, total

        return finishing.Order(record.players, leaders, rank, _is_decided(record))

    def deal_next(self, table: LockedTable, now: datetime) -> None:
        """Deal to everybody who stayed; once the game is over, to its tied leaders alone."""
        record = record_of(table)
        contenders = _contenders(record)
        dealing.deal_to(table, _tied(record, contenders) if _is_over(record) else contenders, now)

    def call_off(self, table: LockedTable, deal: Deal, now: datetime) -> None:
        """Cancel the game; those who had not left when the deal began share the money (RB 7.7)."""
        there = leavers.there_at(deal, leavers.seats_of(table))
        finishing.cancel_game(table, deal, now, survivors=there)

    def is_highest_best(self, rules: AnyRules) -> bool:
        return straight_rules(rules).scoring == "winner"

    def words(self, rules: AnyRules) -> Iterator[str]:
        return rule_words.of_the_game(straight_rules(rules))

    def words_of_leaving(self) -> Iterator[str]:
        return rule_words.of_leaving()


TARGET = Straight("target", _("Straight to a target"))
ROUNDS = Straight("rounds", _("Straight by rounds"))


def _present(record: GameRecord) -> list[Seat]:
    return [seat for seat in record.players if seat.left_at is None]


def _contenders(record: GameRecord) -> list[Seat]:
    """Return those who may still win: who stayed, and of them who played the most deals.

    Everybody is dealt in until the game is over, and then the tied leaders alone.
    """
    there = _present(record)
    played = Counter(score.seat_id for score in record.scores)
    most = max((played[seat.pk] for seat in there), default=0)
    return [seat for seat in there if played[seat.pk] == most]


def _sign(table: Table) -> int:
    """Return what makes the best total the least: with penalty scoring it is the lowest."""
    return -1 if straight_rules(rules_of(table.profile)).scoring == "winner" else 1


def _tied(record: GameRecord, seats: Sequence[Seat]) -> list[Seat]:
    """Return those of the seats that have the best total, one or more."""
    totals, sign = record.totals(), _sign(record.table)
    best = min(sign * totals[seat.pk] for seat in seats)
    return [seat for seat in seats if sign * totals[seat.pk] == best]


def _is_over(record: GameRecord) -> bool:
    """Return whether somebody reached the target, leavers too, or the agreed deals are played."""
    return straight.is_over(
        straight_rules(rules_of(record.table.profile)),
        list(record.totals().values()),
        deals=len(record.settled),
    )


def _is_decided(record: GameRecord) -> bool:
    """Return whether at most one stayed, or the game is over with a single leader."""
    if len(_present(record)) <= 1:
        return True
    return _is_over(record) and len(_tied(record, _contenders(record))) == 1


def _heirs(record: GameRecord) -> list[Seat]:
    """Return who was best before the last deal: nobody stayed (RB 7.6)."""
    last = record.last_deal
    played = {score.seat_id: score.points for score in record.scores_of(last.pk)}
    totals, sign = record.totals(), _sign(record.table)
    before = {
        seat: sign * (totals[seat.pk] - played.get(seat.pk, 0))
        for seat in leavers.there_at(last, record.players)
    }
    return [seat for seat in before if before[seat] == min(before.values())]
