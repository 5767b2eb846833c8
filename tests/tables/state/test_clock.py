"""Time that runs out, extra time, and the installation's outages (RB 5.8, 5.9)."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial
from threading import Event
from uuid import uuid4

import pytest
from django.db import connections, transaction
from django.utils import timezone

from tables.exceptions import NoSplit, NotInPlay, StaleVersion, TableError, WindowClosed
from tables.models.deals import Move
from tables.models.tables import Heartbeat, Outage, Table
from tables.play import answering
from tables.play.actions import make_move
from tables.settlement.models import Answer, Window
from tables.state import clock, outages
from tables.state.deadlines import SWEEP, deadline, overlap
from tables.state.fold import fold_of
from tables.state.locks import lock_table
from tables.tasks import sweep_clock
from tables.view.table_view import table_view
from tests.builders.processes.waiting import something_waits, until
from tests.builders.tables.making import make_game, make_rules
from tests.builders.tables.playing import (
    at_once,
    hand_of,
    move,
    reread,
    run_out,
    seat_at,
    seat_id_at,
)
from tests.builders.tables.pools import make_pool, one_out, open_window, score, seat_no
from wallet.stakes.models import Stake

pytestmark = pytest.mark.django_db


def extra_ms_left(table, position):
    return fold_of(table.deals.get(no=table.deal_no)).state.seats[position - 1].extra_ms


def test_a_turn_that_uses_up_its_extra_time_is_missed(game_of_two):
    table = game_of_two
    due = run_out(table).due_at

    clock.apply_overdue(table_id=table.pk, now=due + timedelta(seconds=29.9))
    assert Move.objects.count() == 0
    clock.apply_overdue(table_id=table.pk, now=due + timedelta(seconds=30))

    made = Move.objects.get()
    assert (made.text, made.origin, made.move_id) == ("p1 miss +30000", Move.Origin.CLOCK, None)
    table = reread(table)
    assert table.due_at == due + timedelta(seconds=60)
    assert extra_ms_left(table, 1) == 0
    assert extra_ms_left(table, 2) == 30_000


def test_a_move_within_extra_time_carries_what_it_used_once(game_of_two):
    table = game_of_two
    run_out(table, seconds=5)

    move(table, 1, "ds")
    move(table, 1, f"x {hand_of(table, 1)[-1]}")

    drawn, discarded = Move.objects.order_by("ply")
    assert 5_000 <= int(drawn.text.partition("+")[2]) < 15_000
    used = int(drawn.text.partition("+")[2]) + int(discarded.text.partition("+")[2] or 0)
    assert extra_ms_left(table, 1) == 30_000 - used
    assert used < 15_000


def test_a_move_after_all_time_is_over_finds_the_turn_missed(game_of_two):
    table = game_of_two
    run_out(table, seconds=31)

    with pytest.raises(StaleVersion):
        move(table, 1, "ds", expected_version=table.version)

    assert [m.text for m in Move.objects.all()] == ["p1 miss +30000"]
    assert reread(table).version == table.version + 1


def test_extra_time_used_is_at_most_what_the_bank_holds(game_of_two):
    table = run_out(game_of_two, seconds=60)
    state = fold_of(table.deals.get()).state

    assert clock.extra_ms_used(table, state, 1, timezone.now()) == 30_000
    assert clock.extra_ms_used(table, state, 2, timezone.now()) == 0


def miss(table):
    run_out(table, seconds=60)
    clock.apply_overdue(table_id=table.pk, now=timezone.now())


def play(table, *positions):
    for position in positions:
        move(table, position, "ds")
        move(table, position, f"x {hand_of(table, position)[-1]}")


def missed(table, position):
    """What a player's view says: how many turns the clock has played, and how many are left."""
    me = table_view(reread(table), seat_at(table, position).player).me
    return me.clock_played and len(me.clock_played), me.misses_left


def test_the_third_miss_in_a_row_is_a_middle_drop_and_extra_time_is_used_once(game_of_three):
    table = game_of_three
    for no, left in ((1, 2), (2, 1)):
        miss(table)
        assert (missed(table, 1), missed(table, 2)) == ((no, left), (None, None))
        play(table, 2, 3)
    miss(table)

    assert missed(table, 1) == (3, 0)
    assert fold_of(table.deals.get()).state.seats[0].standing == "middle_drop"
    made = Move.objects.filter(origin=Move.Origin.CLOCK).order_by("ply")
    assert [each.text for each in made] == ["p1 miss +30000", "p1 miss", "p1 miss"]


def test_a_turn_that_is_played_ends_the_row_of_missed_ones(game_of_two):
    table = game_of_two
    miss(table)
    play(table, 2, 1)

    assert missed(table, 1) == (None, None)


def test_an_outage_gives_the_lost_time_back(game_of_two):
    table = game_of_two
    now = timezone.now()
    Table.objects.filter(pk=table.pk).update(
        armed_at=now - timedelta(seconds=70), due_at=now - timedelta(seconds=40)
    )
    Outage.objects.create(
        started_at=now - timedelta(seconds=60), ended_at=now - timedelta(seconds=30)
    )

    clock.apply_overdue(table_id=table.pk, now=now)

    assert Move.objects.count() == 0
    assert deadline(reread(table), now) == now - timedelta(seconds=10)


def test_outage_beside_a_span_takes_nothing_from_it():
    begun = timezone.now()
    minutes = [begun + timedelta(minutes=minute) for minute in range(5)]

    lost = overlap([(minutes[0], minutes[1]), (minutes[2], minutes[4])], minutes[1], minutes[3])

    assert lost == timedelta(minutes=1)
    assert overlap([(minutes[0], minutes[1])], minutes[2], minutes[3]) == timedelta()


def test_a_player_may_move_after_an_outage_longer_than_their_time(game_of_two):
    table = game_of_two
    now = timezone.now()
    Heartbeat.objects.create(name=SWEEP, beat_at=now - timedelta(minutes=10))
    Table.objects.filter(pk=table.pk).update(
        armed_at=now - timedelta(minutes=10), due_at=now - timedelta(minutes=9, seconds=30)
    )

    move(table, 1, "ds")

    assert Move.objects.get().text == "p1 ds"


def test_a_gap_between_beats_is_an_outage_only_when_it_is_long():
    now = timezone.now()
    outages.beat(now=now)
    outages.beat(now=now + timedelta(seconds=3))
    assert Outage.objects.count() == 0

    outages.beat(now=now + timedelta(seconds=20))

    outage = Outage.objects.get()
    assert (outage.started_at, outage.ended_at) == (
        now + timedelta(seconds=3),
        now + timedelta(seconds=20),
    )


@pytest.mark.django_db(transaction=True)
def test_concurrent_move_and_sweep_have_one_outcome():
    table = make_game(players=3)
    run_out(table, seconds=60)
    seat, now = seat_at(table, 1), timezone.now()

    def draw():
        return make_move(seat=seat.pk, move_id=uuid4(), text="ds", expected_version=table.version)

    refusal, _ = at_once([draw, lambda: clock.sweep(now=now)])

    assert isinstance(refusal, StaleVersion)
    assert [m.text for m in Move.objects.all()] == ["p1 miss +30000"]


def test_one_table_that_cannot_be_dealt_does_not_stop_the_others(caplog, owner, game_of_two):
    broken = game_of_two
    whole = make_game(players=2)
    run_out(broken, seconds=61)
    run_out(whole, seconds=60)
    # A deal without its seats cannot be folded: as good as any other damage.
    with owner():
        broken.deals.get().deal_seats.all().delete()

    clock.sweep(now=timezone.now())

    assert [m.deal.table_id for m in Move.objects.all()] == [whole.pk]
    assert f"table={broken.pk}" in caplog.text or str(broken.pk) in caplog.text


def test_the_sweep_passes_from_toss_to_play_and_from_gap_to_the_next_deal():
    table = make_game(players=2, rules=make_rules(toss_seconds=5, gap_seconds=10))
    assert table.phase == Table.Phase.TOSS
    with pytest.raises(NotInPlay):
        move(table, 1, "ds")

    run_out(table)
    clock.sweep(now=timezone.now())

    table = reread(table)
    assert table.phase == Table.Phase.PLAYING
    assert (table.due_at - table.armed_at).total_seconds() == 30


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


def late_move():
    table = make_game(players=2)
    seat, version = seat_id_at(table, 1), table.version
    return table, partial(
        make_move, seat=seat, move_id=uuid4(), text="ds", expected_version=version
    )


def late_answer(said):
    table = one_out()
    asked = open_window(table).answers.get()
    window = asked.window.public_id
    return table, partial(answering.answer, seat_id=asked.seat_id, window_id=window, said=said)


def late_proposal():
    table = score(make_pool(players=3, gap_seconds=60), 60, 81, 101)
    return table, partial(answering.propose_split, seat_id=seat_no(table, 1).pk)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("begin", "seconds", "refusal"),
    [
        (late_move, 61, StaleVersion),
        (partial(late_answer, Answer.Said.YES), 20, WindowClosed),
        (partial(late_answer, Answer.Said.NO), 20, WindowClosed),
        (late_proposal, 60, NoSplit),
    ],
    ids=["move", "yes", "no", "split"],
)
def test_what_waits_for_the_lock_is_judged_by_the_time_it_gets_it(clocks, begin, seconds, refusal):
    table, act = begin()
    entries = Stake.objects.count()

    answer = after_waiting_for_the_lock(table, act, clocks, seconds=seconds)

    assert isinstance(answer, refusal)
    assert Stake.objects.count() == entries
    sweep_clock()
    assert not Window.objects.open().filter(table=table).exists()
    assert not Answer.objects.filter(table=table).exclude(said="").exists()
    assert {made.text for made in Move.objects.all()} <= {"p1 miss +30000"}
