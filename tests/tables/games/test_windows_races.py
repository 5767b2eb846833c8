"""Concurrent answers: every window has one outcome, and the payments match it.

`tests/tables/play/test_faults.py` interrupts each step of an answer and of what follows it.
"""

import pytest
from django.utils import timezone

from tables.exceptions import TableError, WindowClosed
from tables.games.pool import rejoin
from tables.models.seats import BuyIn
from tables.models.tables import Table
from tables.play import answering
from tables.seats import seating
from tables.settlement.models import Window
from tables.state import clock
from tests.amounts import first
from tests.builders.tables.making import make_table
from tests.builders.tables.playing import at_once, reread, run_out
from tests.builders.tables.pools import (
    NO,
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
from wallet.exceptions import InsufficientFunds
from wallet.ledger.models import Account, Transfer
from wallet.stakes.models import Stake

pytestmark = pytest.mark.django_db(transaction=True)

OUT = 101


def answers(table, number, said):
    """The answer of this seat to the window that is open now, to be given later."""
    seat_id, window_id = seat_no(table, number).pk, open_window(table).public_id
    return lambda: answering.answer(seat_id=seat_id, window_id=window_id, said=said)


def sweeps(table):
    now = reread(table).due_at
    return lambda: clock.apply_overdue(table_id=table.pk, now=now)


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


@pytest.mark.parametrize("said", first(1, [YES, NO]))
def test_concurrent_answer_and_window_end_have_one_outcome(said):
    table = make_pool(players=4)
    score(table, 0, 50, OUT, OUT)
    late = answers(table, 3, said)
    run_out(table)

    outcomes = at_once([late, sweeps(table), sweeps(table)])

    (refused,) = refusals(outcomes)
    assert isinstance(refused, WindowClosed)
    assert Window.objects.get().outcome == "expired"
    assert reread(table).escrow.balance_minor == 400_00
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


def test_balance_spent_concurrently_pays_for_only_one_purchase():
    table = make_pool(players=3)
    score(table, 0, 50, OUT)
    player = seat_no(table, 3).player
    funds = sum(
        Account.objects.buckets_of(player)
        .filter(kind__in=["bonus", "deposit", "winnings"])
        .values_list("balance_minor", flat=True)
    )
    other = make_table(entry_minor=funds, seats_min=3, seats_max=3)

    outcomes = at_once(
        [answers(table, 3, YES), lambda: seating.join(table_id=other.pk, player=player)]
    )

    (refused,) = refusals(outcomes)
    assert isinstance(refused, InsufficientFunds)
    has_rejoined = totals(table)[2] == 51
    assert has_rejoined != other.seats.exists()
    assert reread(table).phase == (Table.Phase.BETWEEN if has_rejoined else Table.Phase.REJOIN)
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
