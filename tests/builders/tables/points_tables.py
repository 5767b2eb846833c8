"""Builders for points tables: players with stacks, and deals with given points."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

from django.db import transaction
from django.utils import timezone
from moneyed import Money

import rummy
from rummy import PROFILES, Card, Rules
from rummy.notation.states import changed
from tables.models.seats import Seat
from tables.models.tables import Table
from tables.seats import seating
from tables.seats import stacks as table_stacks
from tables.state import clock, phases
from tables.state import fold as state
from tables.state.fold import Fold, fold_of
from tables.state.locks import lock_table
from tables.state.publishing import publish
from tests.builders.tables.deals import settle
from tests.builders.tables.invented import is_invented
from tests.builders.tables.making import NO_PAUSES, make_player, make_table
from tests.builders.tables.playing import deal_at, reread, run_out
from wallet.ledger.models import Account
from wallet.ledger.money import as_money
from wallet.stakes import stacks

POINTS = PROFILES["total-rummy-points"]
SEQUENCES, SET = "5H 6H 7H 9C TC JC", "4D 4S 4H"
WILD = rummy.parse_card("8S")


def points_rules(base: Rules = POINTS, **overrides: Any) -> Rules:
    changes = NO_PAUSES | {"gap_seconds": 60} | overrides
    name = "-".join(f"{field}={value}" for field, value in sorted(changes.items()))
    return base.with_(name=f"test {base.name} {name}"[:60], **changes)


def make_points_table(*, rules: Rules | None = None, **overrides: Any) -> Table:
    """A table at which a point is worth 1.00: stacks of 80.00 to 800.00."""
    fields = {"entry_minor": 0, "point_value_minor": 1_00, "rake_bps": 0, "seats_max": 6}
    return make_table(rules=rules or points_rules(), **(fields | overrides))


def sit_in(table: Table, minor: int | None = None, **player: Any) -> Seat:
    stack = None if minor is None else as_money(minor, table.currency)
    return seating.join(table_id=table.pk, player=make_player(**player), stack=stack)


def make_points_game(*, players: int = 2, stack: int = 200_00, **overrides: Any) -> Table:
    """A table at which so many have sat in and the first turn has begun."""
    table = make_points_table(seats_min=players, **overrides)
    for _ in range(players):
        sit_in(table, stack)
    return reread(table)


def stack_of(table: Table, seat: Seat) -> int:
    return stacks.stacks_in(table.escrow).get(seat.player_id, 0)


def wallet_of(seat: Seat) -> dict[str, int]:
    found = Account.objects.buckets_of(seat.player).filter(currency=seat.table.currency)
    return dict(found.values_list("kind", "balance_minor"))


@cache
def hand_worth(points: int) -> tuple[Card, ...]:
    """Return a hand with two sequences, with few points also a set; the rest has these points."""
    chance, pack = random.Random(points), list(rummy.parse_cards(ALL_CARDS))
    melds = rummy.parse_cards(SEQUENCES if points > 30 else f"{SEQUENCES} {SET}")
    for _ in range(20_000):
        hand = (*melds, *chance.sample(pack, 13 - len(melds)))
        if rummy.best_arrangement(hand, wild=WILD, rules=POINTS).points == points:
            return hand
    raise AssertionError(f"no hand worth {points} turned up")


ALL_CARDS = " ".join(rank + suit for rank in "A23456789TJQK" for suit in "CDHS")


def end_deal(table: Table, *points: int) -> None:
    """Bring the deal on the table to its end: who pays 0 has shown, the others hold such hands."""
    is_invented(table)
    deal = deal_at(table)
    fold = fold_of(deal)
    seats = tuple(
        changed(seat, hand=hand_worth(cost) if cost else seat.hand)
        for seat, cost in zip(fold.state.seats, points, strict=True)
    )
    ended = changed(
        fold.state,
        seats=seats,
        wild=WILD,
        phase="ended",
        winner=points.index(0) + 1,
        ending="show",
        to_act=None,
    )
    state.memo.put(Fold(deal.pk, fold.ply, fold.move_pk, ended, fold.head))
    with transaction.atomic():
        locked = lock_table(table.pk)
        phases.await_settlement(locked, deal, timezone.now())
        publish(locked)


def play_deal(table: Table, *points: int) -> None:
    """End the deal on the table at these costs by position, 0 for the winner, and settle it."""
    end_deal(table, *points)
    settle(table)


def pts(minor: int) -> Money:
    return as_money(minor, "PTS")


def next_deal(table: Table) -> Table:
    run_out(table, seconds=1)
    clock.apply_overdue(table_id=table.pk, now=timezone.now())
    return reread(table)


def top_up(seat: Seat, no: int, minor: int) -> Any:
    return table_stacks.top_up(seat_id=seat.pk, no=no, amount=pts(minor))
