"""Seats are given once when tables finish while others are balanced or seated (RB 10.9, 10.10)."""

from functools import partial

import pytest
from django.db.models import Count
from django.utils import timezone

from tests.builders.tournaments.outcomes import check_the_end
from tests.builders.tournaments.played_contests import BALANCED, RACE, run_race
from tests.builders.tournaments.tournaments import (
    again,
    at_once,
    enter,
    make_tournament,
    play_round,
    play_table,
    start,
    tables_of,
    tick,
)
from tournaments.entries.models import Seating
from tournaments.rounds import clock, rounds

pytestmark = pytest.mark.django_db(transaction=True)


def sweep_often():
    for _ in range(8):
        clock.sweep(now=timezone.now())


def test_tables_are_balanced_once_while_the_last_one_finishes():
    tournament = make_tournament(**BALANCED)
    enter(tournament, 7)
    tournament = start(tournament)
    *others, last = tables_of(tournament)
    for table in others:
        play_table(table)
    tournament = tick(tournament)
    of_last = partial(rounds.take_result, round_table_id=last.round_table.pk)

    at_once([partial(play_table, last), sweep_often, sweep_often])
    at_once([of_last, sweep_often, partial(tick, tournament)])

    tournament = again(tournament)
    assert tournament.round_no == 2
    sizes = [each.seatings.count() for each in tournament.rounds.get(no=2).round_tables.all()]
    assert (sum(sizes), max(sizes) - min(sizes) <= 1) == (7, True)
    for this in tournament.rounds.all():
        seated = this.seatings.values("entry").annotate(times=Count("pk"))
        assert set(seated.values_list("times", flat=True)) == {1}
    while not tournament.is_over:
        tournament = play_round(tournament)
    check_the_end(tournament)


def test_race_seats_no_one_twice_while_tables_finish():
    tournament = make_tournament(**RACE)
    enter(tournament, 7)
    tournament = start(tournament)

    for _ in range(3):
        tables = tables_of(tournament)
        at_once([*(partial(play_table, table) for table in tables), sweep_often, sweep_often])

    seats = Seating.objects.filter(round__tournament=tournament)
    playing = seats.filter(left_at=None).values("entry").annotate(times=Count("pk"))
    assert set(playing.values_list("times", flat=True)) <= {1}
    assert seats.count() > 7
    check_the_end(run_race(again(tournament)))
