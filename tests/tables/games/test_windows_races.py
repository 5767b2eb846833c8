"""Concurrent and interrupted answers: every window has one outcome, and the money follows it."""

from functools import partial

import pytest
from django.utils import timezone

from tables.exceptions import TableError, WindowClosed
from tables.games.pool import rejoin, split, windows
from tables.games.pool.game import Pool
from tables.models.seats import BuyIn, Elimination
from tables.models.tables import Table
from tables.play import answering, dealing
from tables.seats import seating
from tables.settlement import finishing, scoring
from tables.settlement.models import Window
from tables.state import clock
from tables.state import publishing as announcing
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
from tests.builders.tables.table_faults import Torn, interrupt
from wallet.audit.audit import row_findings
from wallet.exceptions import InsufficientFunds
from wallet.ledger.models import Account, Transfer
from wallet.stakes import stakes
from wallet.stakes.models import Stake

pytestmark = pytest.mark.django_db(transaction=True)
# For tests of one killed process, whose rows no other connection reads.
in_one_connection = pytest.mark.django_db

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
def test_an_answer_and_the_end_of_its_window_at_once_have_one_outcome(said):
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


def test_a_balance_spent_elsewhere_at_once_pays_for_one_of_both():
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


@pytest.fixture
def committing(django_capture_on_commit_callbacks):
    """Do at a block's end what waits for the commit, which no test in one connection comes to."""
    return partial(django_capture_on_commit_callbacks, execute=True)


@shared
def asked_to_rejoin():
    return score(make_pool(players=3), 0, 50, OUT)


@shared
def asked_to_split():
    table = score(make_pool(players=4), 40, 81, OUT, OUT)
    propose(table, 1)
    return table


@shared
def two_asked_to_rejoin():
    table = score(make_pool(players=4), 0, 50, OUT, OUT)
    say(table, 3, YES)
    return table


# An answer is one commit; the task that settles what it leaves to a worker is another one.
STEPS_OF_A_REJOIN = [
    (stakes, "take_stake"),
    (BuyIn.objects, "create"),
    (Pool, "_answered"),
    (announcing, "broadcast_change"),
]
STEPS_OF_A_SPLIT = [(Pool, "_answered")]
STEPS_AFTER_A_REJOIN = [
    (scoring, "settle_table"),
    (Pool, "step_between"),
    (rejoin, "outcome_of"),
    (windows, "close"),
    (dealing, "pause"),
    (scoring, "publish"),
]
STEPS_AFTER_A_SPLIT = [
    (scoring, "settle_table"),
    (Pool, "step_between"),
    (split, "pay"),
    (windows, "close"),
    (stakes, "settle_game"),
    (finishing, "_write_results"),
    (finishing, "close"),
    (scoring, "publish"),
]


def name_of(step):
    return step[1]


def is_settled(step, *, after):
    """Whether the process ends when the worker has committed the table's step."""
    return after and step == (scoring, "settle_table")


def sweep_again(table):
    """Let the sweep enqueue what no worker has settled, and a worker that lives take it."""
    if reread(table).settlement_due:
        run_out(table)
    clock.sweep(now=timezone.now())


@pytest.mark.extended
@in_one_connection
@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("step", STEPS_OF_A_REJOIN + STEPS_AFTER_A_REJOIN, ids=name_of)
def test_a_rejoin_interrupted_at_any_step_is_made_once(
    monkeypatch, asked_to_rejoin, committing, step, after
):
    table = asked_to_rejoin
    window = open_window(table)
    seat = seat_no(table, 3)
    interrupted = interrupt(monkeypatch, *step, after=after)

    try:
        with committing():
            answering.answer(seat_id=seat.pk, window_id=window.public_id, said=YES)
    except Torn:
        torn, is_answered = reread(table), step in STEPS_AFTER_A_REJOIN
        assert torn.escrow.balance_minor == (400_00 if is_answered else 300_00)
        settled = is_settled(step, after=after)
        assert torn.phase == (Table.Phase.BETWEEN if settled else Table.Phase.REJOIN)
        assert torn.settlement_due == (is_answered and not settled)
    else:
        assert step not in STEPS_AFTER_A_REJOIN
    answering.answer(seat_id=seat.pk, window_id=window.public_id, said=YES)
    sweep_again(table)

    assert interrupted
    assert not reread(table).settlement_due
    assert BuyIn.objects.filter(seat=seat, no=2).count() == 1
    assert totals(table) == [0, 50, 51]
    assert Elimination.objects.get().rejoined_total == 51
    assert reread(table).escrow.balance_minor == 400_00
    assert reread(table).phase == Table.Phase.BETWEEN
    assert_sound(table)


@pytest.mark.extended
@in_one_connection
@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("step", STEPS_OF_A_SPLIT + STEPS_AFTER_A_SPLIT, ids=name_of)
def test_a_split_interrupted_at_any_step_is_paid_once(monkeypatch, asked_to_split, step, after):
    table, window = asked_to_split, open_window(asked_to_split)
    seat = seat_no(table, 2)
    interrupted = interrupt(monkeypatch, *step, after=after)

    with pytest.raises(Torn):
        answering.answer(seat_id=seat.pk, window_id=window.public_id, said=YES)
    torn, settled = reread(table), is_settled(step, after=after)
    held = ("finished", 0) if settled else ("split", 400_00)
    assert (torn.phase, torn.escrow.balance_minor) == held
    assert torn.settlement_due == (step in STEPS_AFTER_A_SPLIT and not settled)
    answering.answer(seat_id=seat.pk, window_id=window.public_id, said=YES)
    sweep_again(table)

    assert interrupted
    assert not reread(table).settlement_due
    assert transfers(f"finish:{table.pk}") == 1
    assert prizes(table) == [315_00, 45_00, 0, 0]
    assert reread(table).escrow.balance_minor == 0
    assert_sound(table)


@pytest.mark.extended
@in_one_connection
@pytest.mark.parametrize("after", [False, True])
def test_a_window_whose_closing_is_interrupted_is_closed_by_the_next_sweep(
    monkeypatch, two_asked_to_rejoin, after
):
    table = two_asked_to_rejoin
    interrupt(monkeypatch, rejoin, "outcome_of", after=after)

    with pytest.raises(Torn):
        let_time_pass(table)
    assert reread(table).phase == Table.Phase.REJOIN
    assert reread(table).settlement_due
    sweep_again(table)

    assert reread(table).phase == Table.Phase.BETWEEN
    assert totals(table) == [0, 50, 51, OUT]
    assert_sound(table)


def test_every_refusal_of_a_window_has_a_code_of_its_own():
    codes = [kind.code for kind in TableError.__subclasses__()]

    assert len(codes) == len(set(codes))
