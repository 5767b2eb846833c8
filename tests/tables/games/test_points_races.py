"""Points tables with concurrent requests."""

import pytest
from django.utils import timezone

from tables.exceptions import InDeal, TableError
from tables.models.deals import Deal
from tables.models.seats import BuyIn
from tables.models.tables import Table
from tables.seats import seating, stacks
from tables.settlement import scoring
from tables.state import clock
from tests.builders.tables.playing import at_once, deal_at, reread, run_out, seat_at
from tests.builders.tables.points_tables import (
    end_deal,
    make_points_game,
    play_deal,
    pts,
    stack_of,
    wallet_of,
)
from wallet.audit.audit import row_findings
from wallet.ledger.models import Transfer
from wallet.stakes import stacks as wallet_stacks

pytestmark = pytest.mark.django_db(transaction=True)


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
