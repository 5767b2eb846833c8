"""Concurrent answers: every window has one outcome, and the payments match it.

`tests/tables/play/test_faults.py` interrupts each step of an answer and of what follows it.
"""

import pytest
from django.utils import timezone

from tables.exceptions import InDeal, TableError
from tables.games.pool import rejoin
from tables.models.deals import Deal
from tables.models.seats import BuyIn
from tables.models.tables import Table
from tables.play import answering
from tables.seats import seating, stacks
from tables.settlement import scoring
from tables.settlement.models import Window
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
from tests.builders.tables.pools import (
    YES,
    let_time_pass,
    make_pool,
    open_window,
    prizes,
    propose,
    say,
    score,
    seat_no,
    totals,
)
from tests.builders.tables.shared import shared
from wallet.audit.audit import row_findings
from wallet.ledger.models import Transfer
from wallet.stakes import stacks as wallet_stacks
from wallet.stakes.models import Stake

pytestmark = pytest.mark.django_db(transaction=True)

OUT = 101


def answers(table, number, said):
    """The answer of this seat to the window that is open now, to be given later."""
    seat_id, window_id = seat_no(table, number).pk, open_window(table).public_id
    return lambda: answering.answer(seat_id=seat_id, window_id=window_id, said=said)


def refusals(outcomes):
    return [outcome for outcome in outcomes if isinstance(outcome, Exception)]


def transfers(key):
    return Transfer.objects.filter(key=key).count()


def assert_sound(table):
    """The stakes in escrow are its balance, one for each buy-in, and the audit finds nothing."""
    table = reread(table)
    held = Stake.objects.in_escrow().filter(escrow=table.escrow)
    assert table.escrow.balance_minor == sum(stake.entry_minor for stake in held)
    assert row_findings() == ()


def test_two_rejoins_at_once_pay_twice_and_close_the_window_once():
    table = make_pool(players=4)
    score(table, 0, 50, OUT, OUT)

    outcomes = at_once([answers(table, 3, YES), answers(table, 4, YES)])

    assert refusals(outcomes) == []
    assert totals(table) == [0, 50, 51, 51]
    assert reread(table).phase == Table.Phase.BETWEEN
    assert Window.objects.get().outcome == "accepted"
    assert BuyIn.objects.filter(no=2).count() == 2
    assert_sound(table)


def test_the_last_yes_and_leaving_at_once_split_or_play_on():
    table = make_pool(players=3)
    score(table, 60, 81, OUT)
    propose(table, 1)
    leaver = seat_no(table, 1).pk

    at_once([answers(table, 2, YES), lambda: seating.leave(seat_id=leaver)])

    table = reread(table)
    assert table.phase == Table.Phase.FINISHED
    expected = {"split": [225_00, 45_00, 0], "won": [0, 270_00, 0]}
    assert prizes(table) == expected[table.ending]
    assert table.escrow.balance_minor == 0
    assert transfers(f"finish:{table.pk}") == 1
    assert_sound(table)


@shared
def two_asked_to_rejoin():
    table = score(make_pool(players=4), 0, 50, OUT, OUT)
    say(table, 3, YES)
    return table


class Died(Exception):
    """The worker ends here."""


@pytest.mark.django_db  # No other connection reads these rows.
def test_a_window_whose_closing_is_interrupted_is_closed_by_the_next_sweep(
    monkeypatch, two_asked_to_rejoin
):
    def die(_window):
        raise Died

    table = two_asked_to_rejoin
    with monkeypatch.context() as patch:
        patch.setattr(rejoin, "outcome_of", die)
        with pytest.raises(Died):
            let_time_pass(table)
    assert (reread(table).phase, reread(table).settlement_due) == (Table.Phase.REJOIN, True)

    run_out(table)
    clock.sweep(now=timezone.now())

    assert reread(table).phase == Table.Phase.BETWEEN
    assert totals(table) == [0, 50, 51, OUT]
    assert_sound(table)


def test_every_refusal_of_a_window_has_a_different_code():
    codes = [kind.code for kind in TableError.__subclasses__()]

    assert len(codes) == len(set(codes))


def everything_adds_up(table):
    held = sum(wallet_stacks.stacks_in(table.escrow).values())
    assert reread(table).escrow.balance_minor == held
    assert row_findings() == ()


def test_leaving_beside_the_settlement_pays_the_stack_once_and_settled():
    table = make_points_game(players=3)
    loser = seat_at(table, 2)
    before = wallet_of(loser)["deposit"]
    end_deal(table, 0, 20, 30)
    deal = deal_at(table)

    left, settled = at_once(
        [lambda: seating.leave(seat_id=loser.pk), lambda: scoring.settle_deal(deal_id=deal.pk)]
    )

    assert not isinstance(left, TableError)
    assert settled.status == Deal.Status.SETTLED
    assert wallet_of(loser)["deposit"] == before + 180_00
    assert Transfer.objects.filter(key=f"cashout:{loser.pk}").count() == 1
    seating.leave(seat_id=loser.pk)  # Once more: it was left, and is paid no more.
    assert wallet_of(loser)["deposit"] == before + 180_00
    everything_adds_up(table)


def test_a_top_up_beside_the_start_of_a_deal_is_paid_or_refused():
    table = make_points_game(players=3)
    seat = seat_at(table, 3)
    play_deal(table, 0, 20, 30)
    run_out(table, seconds=1)

    topped, _ = at_once(
        [
            lambda: stacks.top_up(seat_id=seat.pk, no=2, amount=pts(50_00)),
            lambda: clock.apply_overdue(table_id=table.pk, now=timezone.now()),
        ]
    )

    paid = BuyIn.objects.filter(seat=seat, no=2).exists()
    assert isinstance(topped, InDeal) != paid
    assert stack_of(table, seat) == (220_00 if paid else 170_00)
    assert reread(table).phase == Table.Phase.PLAYING
    everything_adds_up(table)
