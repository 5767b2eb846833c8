"""The seeding of a round by the results of all tables of the round before (RB 10.1)."""

import pytest

from rummy import PROFILES
from tests.builders.tables.making import NO_PAUSES
from tests.builders.tournaments.tournaments import enter, make_tournament, start
from tournaments.entries.models import Seating
from tournaments.rounds import results

pytestmark = pytest.mark.django_db

# Place and score at the table, by the number of the draw.
PLAYED = {1: (2, 50), 2: (1, 30), 3: (1, 20), 4: (2, 50), 5: (3, 0), 6: (3, 0)}


def seeded(**terms):
    """Return the numbers of the draw in the order in which the next round seats them."""
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
