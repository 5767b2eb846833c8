"""Races and balanced knock-outs, played to their end through the services (RB 10.6 to 10.8)."""

from datetime import timedelta

import pytest

from tests.builders.tournaments.outcomes import check_the_end
from tests.builders.tournaments.tournaments import (
    enter,
    make_tournament,
    play_round,
    play_table,
    start,
    tables_of,
    tick,
)
from tournaments.entries.models import Seating

pytestmark = pytest.mark.django_db
RACE = {"kind": "race", "round_minutes": 10, "seats": 3, "final_seats": 3}
BALANCED = {"kind": "balanced", "seats": 3, "final_seats": 3}


def sums(tournament):
    return Seating.objects.filter(round__tournament=tournament).sums()


def play_on(tournament, rounds=40):
    for _ in range(rounds):
        tournament = play_round(tournament)
        if tournament.is_over:
            return tournament
    raise AssertionError("the tournament has not ended")


@pytest.mark.parametrize("entrants", [2, 3, 5, 7])
def test_balanced_knockout_ends_with_one_player_and_pays_its_pool(entrants):
    tournament = make_tournament(**BALANCED)
    enter(tournament, entrants)

    tournament = play_on(start(tournament))

    check_the_end(tournament)
    for this in tournament.rounds.all():
        sizes = [table.seatings.count() for table in this.round_tables.all()]
        assert max(sizes) - min(sizes) <= 1
        assert len(sizes) == -(-sum(sizes) // 3)
    scores = sums(tournament)
    ranked = tournament.entries.order_by("place")
    assert scores[ranked[0].pk] < 81
    assert all(scores[entry.pk] >= 81 for entry in ranked[1:])


def test_race_lasts_its_time_and_pays_by_net_points():
    tournament = make_tournament(**RACE)
    enter(tournament, 7)
    tournament = start(tournament)

    for _ in range(6):
        tournament = play_round(tournament)
    end = tournament.rounds.get().ends_at
    assert not tournament.is_over
    tick(tournament, end)
    for table in tables_of(tournament):
        play_table(table)
    for _ in range(3):
        tournament = tick(tournament, end + timedelta(seconds=1))

    check_the_end(tournament)
    scores = sums(tournament)
    assert sum(scores.values()) == 0
    places = {entry.place: scores[entry.pk] for entry in tournament.entries.all()}
    assert [places[place] for place in sorted(places)] == sorted(places.values(), reverse=True)
