"""One statement reads the same state of a table as single queries and cached rows."""

from dataclasses import asdict
from datetime import timedelta
from threading import Event
from uuid import uuid4

import pytest
from django.db import transaction
from django.utils import timezone

from core.api.openapi import as_json
from tables.history.games import score_sheet
from tables.models.seats import Seat
from tables.models.tables import Heartbeat, Outage, Table
from tables.play.actions import save_groups
from tables.seats import seating, stacks
from tables.settlement.models import Answer
from tables.state import clock, publishing
from tables.state.deadlines import SWEEP, deadline
from tables.state.fold import fold_after, fold_of, fold_of_latest, memo
from tables.state.locks import lock_if_free, lock_table, lock_table_for, snapshot_of
from tables.state.snapshot import SNAPSHOT, of_table, read_snapshot, snapshot_from_row
from tables.view.table_view import table_view, table_views
from tests.builders.processes.waiting import something_waits, until
from tests.builders.tables.deals import best_of, drop_out, give_up, settle, take_turn
from tests.builders.tables.making import make_game, make_player
from tests.builders.tables.playing import at_once, deal_at, hand_of, move, reread, run_out, seat_at
from tests.builders.tables.points_tables import make_points_game, next_deal
from tests.builders.tables.pools import let_time_pass, one_out, say, score, seat_no
from tests.builders.tables.shared import shared

pytestmark = pytest.mark.django_db


def game_of(kind):
    """A game of this kind in its second deal."""
    if kind == "points":
        table = make_points_game(players=3)
        drop_out(table)
        run_out(table)
        clock.apply_overdue(table_id=table.pk, now=timezone.now())
    elif kind == "pool":
        table = make_game(players=3)
        drop_out(table)
    else:
        table = make_game(players=2, rules=best_of(2))
        give_up(table, 1)
        settle(table)
    return reread(table)


def seen_by_all(table, **at):
    viewers = [seat.player for seat in table.seats.present().select_related("player")]
    views = [as_json(table_view(table, viewer, **at)) for viewer in [*viewers, None]]
    return [view | {"server_now": None} for view in views]


@shared
def games():
    return {kind: game_of(kind) for kind in ("pool", "deals", "points")}


@pytest.mark.extended
@pytest.mark.parametrize("kind", ["pool", "deals", "points"])
def test_a_move_is_answered_as_if_the_table_were_read_again(kind, games):
    table = games[kind]
    save_groups(seat_id=seat_at(table, 1).pk, groups=" ".join(hand_of(table, 1)[:3]))

    for text in ("ds", None, "ds" if kind == "deals" else "drop"):
        position = fold_of(deal_at(table)).state.to_act
        accepted = move(table, position, text or f"x {hand_of(table, position)[-1]}")

        at_hand = seen_by_all(table, at=accepted.move, snapshot=accepted.snapshot)
        assert at_hand == seen_by_all(table, at=accepted.move)
        assert accepted.snapshot is not None
    assert at_hand[0]["last_deal"]["no"] == 1


@pytest.mark.extended
@pytest.mark.parametrize("kind", ["pool", "deals", "points"])
def test_a_table_in_play_is_seen_as_after_its_last_move(kind, games):
    table = games[kind]
    take_turn(table)
    leaver = seat_at(table, 2)
    accepted = move(table, fold_of(deal_at(table)).state.to_act, "ds")

    assert seen_by_all(table) == seen_by_all(table, at=accepted.move)
    if kind != "deals":  # Two players are left, so the game continues.
        seating.leave(seat_id=leaver.pk)
        statuses = [seat["status"] for seat in seen_by_all(table)[0]["seats"]]
        assert statuses.count("left") == 1


def test_many_viewers_of_one_moment_each_see_their_own_hand_and_no_other(game_of_three):
    table = game_of_three
    move(table, 1, "ds")
    players = [seat_at(table, position).player for position in (1, 2, 3)]

    views = table_views(table, [*players, make_player(), None])

    hands = [hand_of(table, position) for position in (1, 2, 3)]
    assert [view.me.hand for view in views[:3]] == hands
    assert [view.me for view in views[3:]] == [None, None]
    assert views[0].me.drawn
    assert not any(view.me.drawn for view in views[1:3])


def test_sockets_of_one_seat_share_a_view_and_so_do_those_without_a_seat(game_of_two):
    table = game_of_two
    players = [seat_at(table, position).player for position in (1, 2)]

    mine, other, stranger, visitor, mine_again = table_views(
        table, [*players, make_player(), None, players[0]]
    )

    assert mine_again is mine
    assert visitor is stranger
    assert mine.me.hand != other.me.hand
    assert stranger.me is None


@pytest.mark.django_db(transaction=True)
def test_a_view_of_a_table_in_play_is_one_statement(django_assert_num_queries):
    table = make_game(players=3)
    viewers = [seat_at(table, position).player for position in (1, 2, 3)]
    table_views(table, viewers)
    move(table, 1, "ds")

    with django_assert_num_queries(1):
        table_views(table, viewers)


def test_outages_and_the_missing_beat_put_off_the_deadline_as_for_the_clock(game_of_two):
    table, now = game_of_two, timezone.now()
    Heartbeat.objects.create(name=SWEEP, beat_at=now + timedelta(seconds=20))
    Outage.objects.create(
        started_at=now + timedelta(seconds=1), ended_at=now + timedelta(seconds=8)
    )
    later = now + timedelta(seconds=30)

    seen = read_snapshot(table.pk)

    assert seen.deadline(later) == deadline(reread(table), later)
    assert seen.deadline(later) - reread(table).due_at == timedelta(seconds=17)


@pytest.mark.extended
def test_earlier_deals_are_read_again_in_each_deal(game_of_three):
    table = game_of_three
    assert table_view(table, None).scores == []
    for no in (1, 2):
        drop_out(table)
        assert [row.no for row in table_view(table, None).scores] == list(range(1, no + 1))


@pytest.mark.django_db(transaction=True)
def test_a_process_that_fell_behind_catches_up_whatever_it_remembers():
    table = make_game(players=2)
    states = []
    for _ in range(7):
        take_turn(table)
        states.append(dict(memo._deals.get(deal_at(table).pk) or {}))
    truth = fold_of(deal_at(table))

    last = deal_at(table).moves.order_by("ply").last()

    def remember(folds):
        memo._deals.clear()
        for fold in folds.values():
            memo.put(fold)

    for remembered in states:
        remember(remembered)
        seen = read_snapshot(table.pk)
        assert fold_of_latest(seen.deal, seen.latest) == truth
        remember(remembered)
        assert fold_after(last) == truth


@pytest.mark.django_db(transaction=True)
def test_a_session_that_waited_for_the_lock_sees_the_changes_of_its_holder():
    table = make_game(players=3)
    asker, leaver, holds = seat_at(table, 1), seat_at(table, 2), Event()

    def hold_and_change():
        with transaction.atomic():
            lock_table(table.pk)
            holds.set()
            until(something_waits)
            Seat.objects.filter(pk=leaver.pk).update(left_at=timezone.now())

    def wait_and_look():
        holds.wait()
        with transaction.atomic():
            return snapshot_of(lock_table_for(asker.pk, uuid4())[0])

    _, seen = at_once([hold_and_change, wait_and_look])

    assert [seat.pk for seat in seen.seats if seat.left_at] == [leaver.pk]


def test_missing_table_or_seat_cannot_be_locked():
    with transaction.atomic():
        assert lock_if_free(0) is None
    with transaction.atomic(), pytest.raises(Seat.DoesNotExist):
        lock_table_for(0, uuid4())
    with pytest.raises(Table.DoesNotExist):
        read_snapshot(0)


@pytest.mark.extended
def test_the_shape_of_a_value_includes_nested_values(games):
    table = games["pool"]
    move(table, 1, "ds")
    seat = seat_at(table, 1)

    for shape in (table_view(table, seat.player), table_view(table, None), score_sheet(table)):
        assert as_json(shape) == asdict(shape)


def facts(snapshot):
    """What steps read of a table, without seats that it no longer shows."""
    seats = {
        seat.pk: (
            *(seat.number, seat.left_at, seat.sits_out_since, seat.deals_missed),
            *(seat.is_out, seat.stakes),
        )
        for seat in snapshot.seats
    }
    deals = [deal and (deal.pk, deal.status) for deal in (snapshot.deal, snapshot.coming)]
    standing = {each.seat_id for each in snapshot.eliminations if each.rejoined_at is None}
    totals = snapshot.totals() if snapshot.has_scores else {}
    return seats, deals, {place[:3] for place in snapshot.places}, standing, totals


@pytest.fixture
def compared(monkeypatch):
    """Compare a locked table's snapshot with the database whenever a step has saved the table."""
    found, announce = [], publishing.announce

    def compare(table, **options):
        kept, stored = snapshot_of(table), snapshot_from_row(SNAPSHOT.rows(*of_table(table.pk))[0])
        (seats, deals, places, standing, totals), expected = facts(kept), facts(stored)
        shown = expected[0].keys()
        assert [(pk, seats[pk]) for pk in shown] == [*expected[0].items()]
        assert (deals, standing) == (expected[1], expected[3])
        assert {place for place in places if place[2] in shown} >= expected[2]
        if kept.has_scores and stored.has_scores:
            assert {pk: totals[pk] for pk in shown} == expected[4]
            assert expected[4] == Seat.objects.filter(pk__in=shown).totals()
        found.append(table.phase)
        announce(table, **options)

    monkeypatch.setattr(publishing, "announce", compare)
    return found


def test_steps_of_a_pool_keep_the_snapshot_as_it_is_stored(compared):
    table = one_out(players=4)
    say(table, 4, Answer.Said.YES)
    table = score(let_time_pass(table), 10, 60, 101, 60)
    say(table, 3, Answer.Said.NO)
    seating.leave(seat_id=seat_no(table, 2).pk)
    let_time_pass(table)
    drop_out(let_time_pass(table))

    assert len(compared) > 10


def test_steps_of_a_points_table_keep_the_snapshot_as_it_is_stored(compared):
    table = make_points_game(players=3)
    sitter = seat_at(table, 2)
    drop_out(table)
    stacks.sit_out(seat_id=sitter.pk)
    drop_out(next_deal(table))
    drop_out(next_deal(table))
    stacks.come_back(seat_id=sitter.pk)
    next_deal(table)
    seating.leave(seat_id=sitter.pk)
    drop_out(table)
    next_deal(table)

    assert len(compared) > 8
