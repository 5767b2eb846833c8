"""Pools for the chips of a tournament: no escrow, no money, places as the result (RB 10.2)."""

import random

import pytest

from tables.exceptions import GameNotOffered
from tables.models.seats import Elimination
from tables.models.tables import Table
from tables.seats import seating
from tables.settlement import scoring
from tables.settlement.models import Result
from tables.view.table_view import table_view
from tests.builders.tables.crowd import People
from tests.builders.tables.deals import settle
from tests.builders.tables.making import make_player, make_rules, make_table
from tests.builders.tables.playing import deal_at, move, reread, seat_at
from wallet.ledger.models import Transfer
from wallet.stakes.models import Stake

pytestmark = pytest.mark.django_db

SHORT = make_rules(limit=81, first_drop=40, middle_drop=80, cap=80)


def make_chips_game(*, players, **overrides):
    fields = {"stake_mode": "chips", "entry_minor": 0, "rake_bps": 0} | overrides
    table = make_table(seats_min=players, seats_max=players, **fields)
    for _ in range(players):
        seating.join(table_id=table.pk, player=make_player())
    return reread(table)


@pytest.mark.extended
@pytest.mark.django_db(transaction=True)  # Committed moves need not be folded again.
@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(1, 3))]
)
@pytest.mark.parametrize("survivors", [2, 1])
def test_a_pool_for_chips_stops_when_as_many_are_left_as_qualify(seed, survivors, settings):
    settings.SIMULATION_SEED = f"chips {seed}"
    table = make_chips_game(players=4, stop_at_survivors=survivors, rules=SHORT)
    people = People(table, random.Random(seed), leaving=0.0)

    for _ in range(4_000):
        if reread(table).is_over:
            break
        people.act()

    table = reread(table)
    assert table.phase == Table.Phase.FINISHED
    assert not Stake.objects.exists()
    assert not Transfer.objects.filter(kind__in=["prize", "buy_in", "refund"]).exists()
    left = list(table.seats.active())
    assert 1 <= len(left) <= survivors
    totals = table.seats.totals()
    by_place = list(Result.objects.order_by("place", "seat__number"))
    assert [row.seat for row in by_place[: len(left)]] == sorted(
        left, key=lambda seat: (totals[seat.pk], seat.number)
    )
    lasted = [Elimination.objects.get(seat=row.seat).deal.no for row in by_place[len(left) :]]
    assert lasted == sorted(lasted, reverse=True)
    assert table_view(table, None).phase == "finished"


def test_a_pool_for_chips_without_actions_is_cancelled_without_money():
    table = make_chips_game(players=3)

    for seat in list(table.seats.present()):
        seating.leave(seat_id=seat.pk)
    settle(table)

    assert reread(table).phase == Table.Phase.CANCELLED
    assert not Stake.objects.exists()
    assert not Result.objects.exists()
    waiting = make_table(stake_mode="chips", entry_minor=0)
    seat = seating.join(table_id=waiting.pk, player=make_player())
    seating.leave(seat_id=seat.pk)
    assert not Transfer.objects.filter(key__startswith="leave:").exists()


def test_money_is_played_for_to_the_end():
    with pytest.raises(GameNotOffered):
        make_table(stop_at_survivors=2, seats_max=4)


def test_two_workers_end_a_game_for_chips_once():
    table = make_chips_game(players=2, stop_at_survivors=1)
    move(table, 1, "drop")
    deal = deal_at(table)

    scoring.settle_deal(deal_id=deal.pk)
    scoring.settle_deal(deal_id=deal.pk)

    assert deal.scores.count() == 2
    assert seat_at(table, 1)
