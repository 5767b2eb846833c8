"""A pair's winnings at common tables, and the losses of others: prizes that a ruling voids.

A game with a pot is one contest, and so is each deal of a points table. The pair's prizes are void
up to the losses of others: a victim gets back exactly what they paid and did not win back, as if
the game had been cancelled and only the pair had paid the rake. If the prizes are not sufficient,
they are shared in proportion to losses. The pair's own payments stay with the pair, and the
operator gets nothing. A tournament is one contest as well, provided by another application
(`settings.CONTESTS_ELSEWHERE`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from importlib import import_module
from typing import Protocol, cast

from django.conf import settings
from django.db.models import Exists, OuterRef, QuerySet

import rummy
from tables.integrity.collusion.counts import Pair, Span
from tables.integrity.collusion.models import Finding, VoidedPrize
from tables.models.seats import BuyIn, Score, Seat
from tables.models.tables import StakeMode, Table, open_ended
from tables.settlement.models import Result
from tables.state.locks import lock_tables
from wallet.stakes.models import Stake


@dataclass(frozen=True, slots=True)
class Contest:
    """A game, a deal of a points table, or a tournament: payments and prizes, in minor units."""

    table_id: int | None
    deal_id: int | None
    won: Mapping[int, int]
    paid: Mapping[int, int]
    # For contests of other applications: their id there.
    game: str = ""


class Elsewhere(Protocol):
    """The interface of a module named in `settings.CONTESTS_ELSEWHERE`."""

    def contests_of(
        self, pair: Pair, *, currency: str, begins: datetime, ends: datetime
    ) -> list[Contest]:
        """Return the contests that ended in the span and in which the pair sat at one table."""

    def lock_contests(self, games: Collection[str]) -> None:
        """Lock those of these contests that belong to this module."""


def shared_out(
    won: Mapping[int, int],
    paid: Mapping[int, int],
    *,
    pair: Collection[int],
    linked: Collection[int] = (),
) -> dict[int, int]:
    """Return each player's change, in minor units, if a contest's prizes are void; losers negative.

    Players linked with the pair are refunded nothing. The sum is 0.

    >>> shared_out({1: 540_00}, {1: 100_00, 2: 100_00, 3: 100_00, 4: 100_00}, pair=(1, 2))
    {1: -20000, 3: 10000, 4: 10000}
    >>> shared_out({1: 50_00, 3: 40_00}, {1: 50_00, 2: 50_00, 3: 50_00, 4: 50_00}, pair=(1, 2))
    {1: -5000, 3: 833, 4: 4167}
    >>> shared_out({3: 90_00}, {1: 50_00, 3: 50_00}, pair=(1, 2))
    {}
    """
    prizes = {player: won[player] for player in sorted(pair) if won.get(player, 0) > 0}
    lost = {
        player: paid[player] - won.get(player, 0)
        for player in sorted(paid)
        if player not in pair and player not in linked and paid[player] > won.get(player, 0)
    }
    moved = min(sum(prizes.values()), sum(lost.values()))
    if not moved:
        return {}
    taken = rummy.payouts.largest_remainder(moved, list(prizes.values()))
    refunded = rummy.payouts.largest_remainder(moved, list(lost.values()))
    givers = {player: -minor for player, minor in zip(prizes, taken, strict=True)}
    victims = dict(zip(lost, refunded, strict=True))
    return {player: minor for player, minor in (givers | victims).items() if minor}


def contests_of(finding: Finding) -> list[Contest]:
    """Return the cash contests of both in the span whose prizes are not void."""
    voided = set(VoidedPrize.objects.values_list("table", "deal", "game"))
    days = Span(finding.first_day, finding.last_day, finding.currency).values
    pair = (finding.one_id, finding.other_id)
    elsewhere = [
        one
        for module in _elsewhere()
        for one in module.contests_of(
            pair, currency=finding.currency, begins=days["begins"], ends=days["ends"]
        )
    ]
    found = [*_games(finding), *_deals(finding), *elsewhere]
    return [one for one in found if (one.table_id, one.deal_id, one.game) not in voided]


def lock_contests(contests: Collection[Contest]) -> None:
    """Lock the games of contests, so that rulings on one game are made in sequence."""
    for module in _elsewhere():
        module.lock_contests({one.game for one in contests if one.game})
    games = {one.table_id for one in contests if one.table_id is not None}
    lock_tables(Table.objects.filter(pk__in=games))


@cache
def _elsewhere() -> tuple[Elsewhere, ...]:
    return tuple(cast(Elsewhere, import_module(name)) for name in settings.CONTESTS_ELSEWHERE)


def lines_of(finding: Finding, contests: Iterable[Contest]) -> tuple[dict[int, int], list[Contest]]:
    """Return each player's change from these contests, and the contests that move money."""
    pair = (finding.one_id, finding.other_id)
    linked = _linked_with(finding)
    lines: Counter[int] = Counter()
    moving = []
    for contest in contests:
        moved = shared_out(contest.won, contest.paid, pair=pair, linked=linked)
        if moved:
            moving.append(contest)
        for player, minor in moved.items():
            lines[player] += minor
    return {player: minor for player, minor in sorted(lines.items()) if minor}, moving


def _linked_with(finding: Finding) -> set[int]:
    """Return the players of the finding's group, except those of dismissed findings."""
    same = Finding.objects.filter(
        currency=finding.currency, first_day=finding.first_day, group_key=finding.group_key
    ).exclude(status=Finding.Status.DISMISSED)
    return {player for row in same.values_list("one", "other") for player in row}


def _games(finding: Finding) -> list[Contest]:
    days = Span(finding.first_day, finding.last_day, finding.currency).values
    games = _shared_tables(finding).filter(
        phase=Table.Phase.FINISHED, finished_at__gte=days["begins"], finished_at__lt=days["ends"]
    )
    games = games.exclude(open_ended())
    prizes: dict[int, Counter[int]] = {}
    results = Result.objects.filter(table__in=games)
    for table, player, minor in results.values_list("table", "seat__player", "prize_minor"):
        prizes.setdefault(table, Counter())[player] += minor
    paid: dict[int, Counter[int]] = {}
    entries = BuyIn.objects.filter(table__in=games, stake__status=Stake.Status.SETTLED)
    for table, player, minor in entries.values_list("table", "seat__player", "stake__entry_minor"):
        paid.setdefault(table, Counter())[player] += minor
    return [Contest(table, None, prizes[table], paid.get(table, {})) for table in sorted(prizes)]


def _deals(finding: Finding) -> list[Contest]:
    days = Span(finding.first_day, finding.last_day, finding.currency).values
    scores = Score.objects.filter(
        deal__table__in=_shared_tables(finding).filter(open_ended()),
        deal__status="settled",
        deal__settled_at__gte=days["begins"],
        deal__settled_at__lt=days["ends"],
        won_minor__isnull=False,
    )
    rows = scores.order_by("deal").values_list("deal__table", "deal", "seat__player", "won_minor")
    deals: dict[tuple[int, int], dict[int, int]] = {}
    for table, deal, player, minor in rows:
        deals.setdefault((table, deal), {})[player] = minor or 0
    return [
        Contest(
            table,
            deal,
            {player: minor for player, minor in moved.items() if minor > 0},
            {player: -minor for player, minor in moved.items() if minor < 0},
        )
        for (table, deal), moved in deals.items()
        if {finding.one_id, finding.other_id} <= set(moved)
    ]


def _shared_tables(finding: Finding) -> QuerySet[Table]:
    seats = Seat.objects.filter(table=OuterRef("pk"))
    return Table.objects.filter(
        Exists(seats.filter(player=finding.one_id)),
        Exists(seats.filter(player=finding.other_id)),
        stake_mode=StakeMode.CASH,
        currency=finding.currency,
    )
