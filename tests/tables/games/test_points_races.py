"""Points tables with concurrent requests, and with a worker killed between two steps."""

import pytest
from django.utils import timezone

from tables.exceptions import InDeal, TableError
from tables.games import stacks as table_stacks
from tables.games.points import idle
from tables.games.points.game import Points
from tables.models.deals import Deal
from tables.models.seats import BuyIn, Score
from tables.models.tables import Table
from tables.seats import seating, stacks
from tables.settlement import scoring
from tables.state import clock
from tests.builders.tables.deals import drop_out, settle
from tests.builders.tables.playing import at_once, deal_at, reread, run_out, seat_at
from tests.builders.tables.points_tables import (
    end_deal,
    make_points_game,
    play_deal,
    pts,
    stack_of,
    wallet_of,
)
from tests.builders.tables.shared import shared
from tests.builders.tables.table_faults import Torn, interrupt
from wallet.audit.audit import row_findings
from wallet.ledger.models import Transfer
from wallet.stakes import stacks as wallet_stacks
from wallet.stakes.models import StackChange, Stake

pytestmark = pytest.mark.django_db(transaction=True)
# For tests of one killed process, whose rows no other connection reads.
in_one_connection = pytest.mark.django_db


def start_next(table):
    def deal():
        clock.apply_overdue(table_id=table.pk, now=timezone.now())

    run_out(table, seconds=1)
    return deal


def everything_adds_up(table):
    held = sum(wallet_stacks.stacks_in(table.escrow).values())
    assert reread(table).escrow.balance_minor == held
    assert row_findings() == ()


def test_a_top_up_beside_the_start_of_a_deal_is_whole_or_refused():
    table = make_points_game(players=3)
    seat = seat_at(table, 3)
    play_deal(table, 0, 20, 30)
    deal = start_next(table)

    def top_up():
        return stacks.top_up(seat_id=seat.pk, no=2, amount=pts(50_00))

    topped, _ = at_once([top_up, deal])

    paid = BuyIn.objects.filter(seat=seat, no=2).exists()
    assert isinstance(topped, InDeal) != paid
    assert stack_of(table, seat) == (220_00 if paid else 170_00)
    assert reread(table).phase == Table.Phase.PLAYING
    everything_adds_up(table)


def test_leaving_beside_the_settlement_pays_the_stack_once_and_settled():
    table = make_points_game(players=3)
    loser = seat_at(table, 2)
    before = wallet_of(loser)["deposit"]
    end_deal(table, 0, 20, 30)
    deal = deal_at(table)

    left, settled = at_once(
        [
            lambda: seating.leave(seat_id=loser.pk),
            lambda: scoring.settle_deal(deal_id=deal.pk),
        ]
    )

    assert not isinstance(left, TableError)
    assert settled.status == Deal.Status.SETTLED
    assert wallet_of(loser)["deposit"] == before + 180_00
    assert Transfer.objects.filter(key=f"cashout:{loser.pk}").count() == 1
    seating.leave(seat_id=loser.pk)  # Once more: it was left, and is paid no more.
    assert wallet_of(loser)["deposit"] == before + 180_00
    everything_adds_up(table)


@shared
def between_deals():
    table = make_points_game(players=3)
    drop_out(table)
    return reread(table)


STEPS = [
    (wallet_stacks, "pass_stacks"),
    (wallet_stacks, "cash_out"),
    (idle, "sit_out_the_short"),
    (Points, "_await_bots"),
    (scoring, "publish"),
]


@pytest.mark.extended
@in_one_connection
@pytest.mark.parametrize(("where", "what"), STEPS)
def test_a_worker_that_dies_while_settling_leaves_nothing_half_done(monkeypatch, where, what):
    table = make_points_game(players=3, stack=100_00, rake_bps=1_000)
    leaver = seat_at(table, 3)
    before = sum(wallet_of(leaver).values())
    end_deal(table, 0, 30, 20)
    seating.leave(seat_id=leaver.pk)
    deal = deal_at(table)

    with monkeypatch.context() as patch:
        interrupt(patch, where, what, after=True)
        with pytest.raises(Torn):
            scoring.settle_deal(deal_id=deal.pk)

    assert reread(table).phase == Table.Phase.SETTLING
    assert not Score.objects.exists()
    assert not StackChange.objects.exists()
    assert set(wallet_stacks.stacks_in(table.escrow).values()) == {100_00}
    settle(table)
    assert sum(wallet_of(leaver).values()) == before + 80_00
    assert Transfer.objects.filter(key=f"deal:{table.pk}:1").count() == 1
    everything_adds_up(table)


@pytest.mark.extended
@in_one_connection
@pytest.mark.parametrize(
    ("where", "what"),
    [(wallet_stacks, "cash_out"), (Points, "follow"), (seating, "publish")],
)
def test_a_server_killed_while_a_player_leaves_keeps_them_seated(
    monkeypatch, between_deals, where, what
):
    table = between_deals
    seat = seat_at(table, 2)
    stack = stack_of(table, seat)

    with monkeypatch.context() as patch:
        interrupt(patch, where, what, after=True)
        with pytest.raises(Torn):
            seating.leave(seat_id=seat.pk)

    seat.refresh_from_db()
    assert (seat.left_at, stack_of(table, seat)) == (None, stack)
    seating.leave(seat_id=seat.pk)
    assert stack_of(table, seat) == 0
    everything_adds_up(table)


@pytest.mark.extended
@in_one_connection
@pytest.mark.parametrize(("where", "what"), [(table_stacks, "pay_in"), (Points, "follow")])
def test_a_server_killed_during_a_top_up_takes_no_money(monkeypatch, between_deals, where, what):
    table = between_deals
    seat = seat_at(table, 2)
    stack, entries = stack_of(table, seat), Stake.objects.count()

    with monkeypatch.context() as patch:
        interrupt(patch, where, what, after=True)
        with pytest.raises(Torn):
            stacks.top_up(seat_id=seat.pk, no=2, amount=pts(10_00))

    assert (stack_of(table, seat), Stake.objects.count()) == (stack, entries)
    stacks.top_up(seat_id=seat.pk, no=2, amount=pts(10_00))
    assert stack_of(table, seat) == stack + 10_00
    everything_adds_up(table)
