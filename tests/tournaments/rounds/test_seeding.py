"""Places, qualifiers and seeding of the next round (RB 10.1, 10.2)."""

import pytest
from django.db import transaction
from django.utils import timezone

from rummy import PROFILES
from tables.models.tables import Table
from tables.seats import hosted
from tables.state.locks import lock_tables
from tests.builders.tables.making import NO_PAUSES, make_rules
from tests.builders.tables.pools import OUT, score
from tests.builders.tournaments.tournaments import enter, make_tournament, start, tables_of
from tournaments.entries.models import Seating
from tournaments.rounds import results, rounds

pytestmark = pytest.mark.django_db

# Place and score at the table, by the number of the draw.
PLAYED = {1: (2, 50), 2: (1, 30), 3: (1, 20), 4: (2, 50), 5: (3, 0), 6: (3, 0)}


def seeded(**terms):
    """Return the draw numbers in the seating order of the next round."""
    tournament = make_tournament(seats=3, qualify=2, final_seats=2, **terms)
    enter(tournament, 6)
    tournament = start(tournament)
    this = tournament.rounds.get(no=1)
    seatings = list(this.seatings.select_related("entry"))
    for seating in seatings:
        seating.place, seating.total = PLAYED[seating.entry.draw_no]
        seating.qualified = seating.place < 3
    assert Seating.objects.bulk_update(seatings, ["place", "total", "qualified"]) == 6
    return [entry.draw_no for entry in results.qualifiers(this)]


def test_qualifiers_of_pools_are_seeded_by_place_then_lower_total_then_draw():
    assert seeded() == [3, 2, 1, 4]


def test_qualifiers_of_games_for_chips_are_seeded_by_place_then_more_chips_then_draw():
    base = PROFILES["total-rummy-best-of-2"]

    order = seeded(rules=base.with_(name="best of 2 in a seeded tournament", **NO_PAUSES))

    assert order == [2, 3, 1, 4]


def test_last_seat_of_the_next_round_goes_to_the_tied_player_who_lost_less_in_the_last_deal():
    terms = {"seats": 3, "qualify": 2, "final_seats": 2}
    tournament = make_tournament(rules=make_rules(gap_seconds=60), **terms)
    enter(tournament, 6)
    table = tables_of(start(tournament))[0]
    draw = dict(tournament.entries.values_list("player", "draw_no"))
    first, *tied = table.seats.in_seat_order()
    earlier, later = sorted(tied, key=lambda seat: draw[seat.player_id])

    for totals in ({earlier: 40, later: 60}, {earlier: OUT, later: OUT}):
        score(table, 0, *(totals[seat] for seat in tied))
    rounds.take_result(round_table_id=table.round_table.pk)

    found = table.round_table.seatings.order_by("place", "last_points")
    assert list(found.values_list("entry__player", "place", "last_points", "qualified")) == [
        (first.player_id, 1, 0, True),
        (later.player_id, 2, OUT - 60, True),
        (earlier.player_id, 2, OUT - 40, False),
    ]


def test_players_of_a_table_that_was_stopped_are_placed_by_who_lasted_longer():
    tournament = make_tournament(rules=make_rules(gap_seconds=60), seats=4, final_seats=4)
    enter(tournament, 8)
    table = tables_of(start(tournament))[0]
    score(table, 0, 20, 40, OUT)
    score(table, 0, 20, OUT)
    with transaction.atomic():
        [locked] = lock_tables(Table.objects.filter(pk=table.pk))
        hosted.stop_table(locked, timezone.now())

    rounds.take_result(round_table_id=table.round_table.pk)

    placed = table.round_table.seatings.order_by("place").values_list("place", "entry__player")
    in_order = table.seats.in_seat_order().values_list("player", flat=True)
    assert list(placed) == list(enumerate(in_order, start=1))
