"""Deadlines of play follow the database's clock, not a process's (RB 5.9)."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Event
from uuid import uuid4

import pytest
from django.db import connections, transaction

from core.clock import database_now
from tables.bots import bots
from tables.exceptions import NoSplit, StaleVersion, TableError, WindowClosed
from tables.models.deals import Move
from tables.models.tables import Heartbeat, Outage
from tables.play import answering
from tables.play.actions import make_move
from tables.seats import seating
from tables.settlement import scoring
from tables.settlement.models import Answer, Window
from tables.state.locks import lock_table
from tables.tasks import sweep_clock
from tables.view.table_view import table_view
from tests.builders.processes.waiting import something_waits, until
from tests.builders.tables.making import make_game, make_player, make_rules, make_table
from tests.builders.tables.playing import deal_at, hand_of, move, reread, seat_id_at
from tests.builders.tables.pools import make_pool, one_out, open_window, score, seat_no
from wallet.stakes.models import Stake

pytestmark = pytest.mark.django_db

AHEAD = pytest.mark.parametrize("ahead", [5, -5])
TURN_SECONDS = 30


def remaining(table):
    """Return the seconds until the table's deadline by the database's clock, and those armed."""
    table = reread(table)
    assert table.armed_at is not None
    now = database_now()
    return (table.due_at - now).total_seconds(), (table.due_at - table.armed_at).total_seconds()


def assert_lasts(table, seconds):
    left, armed = remaining(table)
    assert armed == seconds
    assert seconds - 2 < left <= seconds


@AHEAD
def test_turn_armed_by_a_process_with_a_wrong_clock_lasts_its_seconds(clocks, game_of_two, ahead):
    with clocks.process_clock(ahead=ahead):
        move(game_of_two, 1, "ds")
        made = move(game_of_two, 1, f"x {hand_of(game_of_two, 1)[-1]}").move

    assert_lasts(game_of_two, TURN_SECONDS)
    assert abs(database_now() - made.made_at) < timedelta(seconds=2)


def test_move_within_its_turn_uses_no_extra_time_of_a_process_ahead(clocks, game_of_two):
    with clocks.process_clock(ahead=TURN_SECONDS + 10):
        made = move(game_of_two, 1, "ds").move

    assert (made.text, made.origin) == ("p1 ds", Move.Origin.PLAYER)


def test_move_after_its_turn_uses_extra_time_of_a_process_behind(clocks, game_of_two):
    clocks.let_pass(seconds=TURN_SECONDS + 10)

    with clocks.process_clock(ahead=-60):
        made = move(game_of_two, 1, "ds").move

    used = int(made.text.partition("+")[2])
    assert 10_000 <= used < 12_000


def test_sweep_of_a_process_ahead_ends_no_turn_early(clocks, game_of_two):
    with clocks.process_clock(ahead=3_600):
        sweep_clock()

    assert not Move.objects.exists()
    assert reread(game_of_two).version == game_of_two.version


def test_sweep_of_a_process_behind_ends_a_turn_that_is_over(clocks, game_of_two):
    clocks.let_pass(seconds=TURN_SECONDS + 31)

    with clocks.process_clock(ahead=-3_600):
        sweep_clock()

    assert [made.text for made in Move.objects.all()] == ["p1 miss +30000"]


def test_sweeps_of_processes_with_different_clocks_note_no_outage(clocks):
    for ahead in (0, 5, -5, 0):
        with clocks.process_clock(ahead=ahead):
            sweep_clock()

    assert not Outage.objects.exists()
    assert abs(database_now() - Heartbeat.objects.get().beat_at) < timedelta(seconds=2)


def countdown():
    table = make_table(rules=make_rules(start_seconds=20), seats_min=2, seats_max=3)
    for _ in range(2):
        seating.join(table_id=table.pk, player=make_player())
    return table


def gap():
    table = make_game(players=2, rules=make_rules(gap_seconds=15))
    move(table, 1, "drop")
    scoring.settle_deal(deal_id=deal_at(table).pk)
    return table


@AHEAD
@pytest.mark.parametrize(
    ("begin", "phase", "seconds"),
    [(countdown, "waiting", 20), (gap, "between", 15), (one_out, "rejoin", 20)],
)
def test_phase_begun_by_a_process_with_a_wrong_clock_lasts_its_seconds(
    clocks, begin, phase, seconds, ahead
):
    with clocks.process_clock(ahead=ahead):
        table = begin()

    assert reread(table).phase == phase
    assert_lasts(table, seconds)


def test_answer_before_the_window_closes_counts_from_a_process_ahead(clocks):
    table = one_out()
    window = open_window(table)
    asked = window.answers.get()

    with clocks.process_clock(ahead=3_600):
        given = answering.answer(
            seat_id=asked.seat_id, window_id=window.public_id, said=Answer.Said.NO
        )

    assert given.said == Answer.Said.NO


@AHEAD
def test_bot_waits_by_the_databases_clock(clocks, settings, ahead):
    settings.BOT_THINK_SECONDS = 3
    table = make_table(bots_fill=True, seats_min=2, seats_max=2)
    with clocks.process_clock(ahead=ahead):
        seating.join(table_id=table.pk, player=make_player())
        bots.play_bots(table_id=table.pk)
        assert table.seats.count() == 1

    clocks.let_pass(seconds=3)
    with clocks.process_clock(ahead=ahead):
        bots.play_bots(table_id=table.pk)
    assert table.seats.count() == 2


@AHEAD
def test_view_counts_down_by_the_clock_that_armed_the_turn(clocks, game_of_two, ahead):
    with clocks.process_clock(ahead=ahead):
        view = table_view(game_of_two, None)

    left = (view.deadline - view.server_now).total_seconds()
    assert TURN_SECONDS - 3 < left <= TURN_SECONDS


def test_views_after_a_move_count_down_by_the_same_clock(clocks, game_of_two):
    with clocks.process_clock(ahead=5):
        accepted = move(game_of_two, 1, "ds")
        views = [
            table_view(game_of_two, None, at=accepted.move, snapshot=snapshot)
            for snapshot in (accepted.snapshot, None)
        ]

    assert all(abs(database_now() - view.server_now) < timedelta(seconds=2) for view in views)


def after_waiting_for_the_lock(table, act, clocks, *, seconds):
    """Return what `act` returns or raises where it gets the table's lock so much later."""
    locked, passed = Event(), Event()

    def hold():
        try:
            with transaction.atomic():
                lock_table(table.pk)
                locked.set()
                assert passed.wait(20)
        finally:
            connections.close_all()

    def late():
        try:
            return act()
        except TableError as refusal:
            return refusal
        finally:
            connections.close_all()

    with ThreadPoolExecutor(2) as threads:
        holding = threads.submit(hold)
        assert locked.wait(20)
        asked = threads.submit(late)
        until(something_waits)
        clocks.let_pass(seconds=seconds)
        passed.set()
        holding.result(20)
        return asked.result(20)


@pytest.mark.django_db(transaction=True)
def test_move_that_waits_for_the_lock_is_judged_by_the_time_it_gets_it(clocks):
    """A move that arrives in time and gets the table's lock after the deadline is late."""
    table = make_game(players=2)
    seat = seat_id_at(table, 1)

    def act():
        return make_move(seat=seat, move_id=uuid4(), text="ds", expected_version=table.version)

    answer = after_waiting_for_the_lock(table, act, clocks, seconds=TURN_SECONDS + 31)

    assert isinstance(answer, StaleVersion)
    assert [made.text for made in Move.objects.all()] == ["p1 miss +30000"]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("said", [Answer.Said.YES, Answer.Said.NO])
def test_answer_that_gets_the_lock_after_its_window_is_over_is_refused_and_pays_nothing(
    clocks, said
):
    table = one_out()
    asked = open_window(table).answers.get()
    entries = Stake.objects.count()

    def act():
        return answering.answer(seat_id=asked.seat_id, window_id=asked.window.public_id, said=said)

    refusal = after_waiting_for_the_lock(table, act, clocks, seconds=20)

    assert isinstance(refusal, WindowClosed)
    assert Stake.objects.count() == entries
    sweep_clock()
    assert open_windows(table) == 0
    assert Answer.objects.get(pk=asked.pk).said == ""


@pytest.mark.django_db(transaction=True)
def test_a_split_proposal_that_gets_the_lock_after_the_gap_is_refused(clocks):
    table = score(make_pool(players=3, gap_seconds=60), 60, 81, 101)
    seat = seat_no(table, 1)

    refusal = after_waiting_for_the_lock(
        table, lambda: answering.propose_split(seat_id=seat.pk), clocks, seconds=60
    )

    assert isinstance(refusal, NoSplit)
    assert open_windows(table) == 0


def open_windows(table):
    return Window.objects.open().filter(table=table).count()
