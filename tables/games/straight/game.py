"""Straight rummy: to a target, or for a number of rounds (RB 9.5)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from moneyed import Money

from rummy import AnyRules, straight
from tables.games.series import Series, there_at
from tables.games.straight import rule_text
from tables.games.straight.cards import StraightCards, straight_rules
from tables.models.seats import Seat
from tables.models.tables import Table
from tables.play import dealing
from tables.settlement import finishing
from tables.settlement.game_record import GameRecord, record_so_far
from tables.state.locks import LockedTable
from tables.state.rules import rules_of


class Straight(StraightCards, Series):
    """Totals add up until one player has the best; tied leaders play on."""

    def __init__(self, name: str, title: Promise) -> None:
        self.name, self.title = name, title

    def thresholds(self, rules: AnyRules, entry: Money) -> str:
        return " ".join(rule_text.of_the_end(straight_rules(rules)))

    def final_order(self, record: GameRecord) -> finishing.Order:
        """Rank the leaders, then the players of the last deals, then the better total."""
        contenders = _contenders(record)
        leaders = _tied(record, contenders) if contenders else _best_before(record)
        totals, sign = record.totals(), _sign(record.table)

        def rank(seat: Seat) -> tuple[bool, bool, bool, int]:
            has_left, total = seat.left_at is not None, sign * totals[seat.pk]
            return seat not in leaders, seat not in contenders, has_left, total

        return finishing.Order(record.players, leaders, rank, _is_decided(record))

    def deal_next(self, table: LockedTable, now: datetime) -> None:
        """Deal to everyone who stayed; after the regular end only to the tied leaders."""
        record = record_so_far(table)
        contenders = _contenders(record)
        dealing.deal_to(table, _tied(record, contenders) if _is_over(record) else contenders, now)

    def is_highest_best(self, rules: AnyRules) -> bool:
        return straight_rules(rules).scoring == "winner"

    def rules_text(self, rules: AnyRules) -> Iterator[str]:
        return rule_text.of_the_game(straight_rules(rules))


TARGET = Straight("target", _("Straight to a target"))
ROUNDS = Straight("rounds", _("Straight by rounds"))


def _present(record: GameRecord) -> list[Seat]:
    return [seat for seat in record.players if seat.left_at is None]


def _contenders(record: GameRecord) -> list[Seat]:
    """Return the seats that may still win: not left, and dealt into the most deals.

    All seats are dealt in until the regular end, then only the tied leaders.
    """
    there = _present(record)
    played = Counter(score.seat_id for score in record.scores)
    most = max((played[seat.pk] for seat in there), default=0)
    return [seat for seat in there if played[seat.pk] == most]


def _sign(table: Table) -> int:
    """Return the factor that makes the best total the smallest: 1 with penalty scoring."""
    return -1 if straight_rules(rules_of(table.profile)).scoring == "winner" else 1


def _tied(record: GameRecord, seats: Sequence[Seat]) -> list[Seat]:
    """Return the seats with the best total, one or more."""
    totals, sign = record.totals(), _sign(record.table)
    best = min(sign * totals[seat.pk] for seat in seats)
    return [seat for seat in seats if sign * totals[seat.pk] == best]


def _is_over(record: GameRecord) -> bool:
    """Return whether any seat reached the target, or the agreed number of deals is played."""
    return straight.is_over(
        straight_rules(rules_of(record.table.profile)),
        list(record.totals().values()),
        deals=len(record.settled),
    )


def _is_decided(record: GameRecord) -> bool:
    """Return whether at most one player stayed, or the game is over with one leader."""
    if len(_present(record)) <= 1:
        return True
    return _is_over(record) and len(_tied(record, _contenders(record))) == 1


def _best_before(record: GameRecord) -> list[Seat]:
    """Return the best seats before the last deal, as no one stayed (RB 7.6)."""
    last = record.last_deal
    played = {score.seat_id: score.points for score in record.scores_of(last.pk)}
    totals, sign = record.totals(), _sign(record.table)
    before = {
        seat: sign * (totals[seat.pk] - played.get(seat.pk, 0))
        for seat in there_at(last, record.players)
    }
    return [seat for seat in before if before[seat] == min(before.values())]
