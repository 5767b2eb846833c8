"""Whole tournaments from registration to payout."""

import pytest

from rummy import PROFILES
from tests.builders.tables.making import NO_PAUSES, make_rules
from tests.builders.tables.playing import reread
from tests.builders.tables.straight_tables import straight_rules, win_by_waiting
from tests.builders.tournaments.outcomes import check_the_end
from tests.builders.tournaments.tournaments import (
    SHORT,
    enter,
    make_tournament,
    play_to_the_end,
    play_whole_table,
    start,
)
from wallet.ledger.models import Account

pytestmark = pytest.mark.django_db


def test_guarantee_is_paid_by_the_operator():
    tournament = make_tournament(guarantee_minor=1000_00)
    enter(tournament, 5)

    tournament = play_to_the_end(start(tournament))

    assert (tournament.prize_minor, tournament.overlay_minor) == (1000_00, 1000_00 - 5 * 90_00)
    guarantee_account = Account.objects.get(kind=Account.Kind.GUARANTEE, currency="PTS")
    assert guarantee_account.balance_minor == -tournament.overlay_minor
    check_the_end(tournament)


@pytest.mark.extended
def test_ties_share_the_prizes_of_the_places_they_cover():
    # Three first drops eliminate a player; losers of all tables have the same total.
    rules = make_rules(**SHORT | {"first_drop": 40})
    tournament = make_tournament(prize_bps=[4000, 3000, 2000, 1000], final_seats=2, rules=rules)
    enter(tournament, 6)

    tournament = play_to_the_end(start(tournament), play_whole_table)

    check_the_end(tournament)
    third = tournament.entries.filter(place=3)  # Both losers of both tables have the same total.
    shares = list(third.values_list("prize_minor", flat=True))
    assert shares == [tournament.prize_minor * (2000 + 1000) // 10_000 // 4] * 4


@pytest.mark.extended
@pytest.mark.parametrize(
    "game",
    [
        pytest.param({"base": "total-rummy-best-of-2"}, marks=pytest.mark.soak),
        {"base": "total-rummy-points", "game": "deals", "deals": 2, "chips": 160},
    ],
)
def test_chips_decide_where_deals_or_points_are_played(game):
    base = PROFILES[game.pop("base")]
    rules = base.with_(name=f"{base.name} in a tournament", **NO_PAUSES, **game)
    tournament = make_tournament(rules=rules)
    enter(tournament, 4)

    tournament = play_to_the_end(start(tournament), play_whole_table)

    check_the_end(tournament)
    for table in tournament.rounds.get(no=1).round_tables.all():
        seatings = list(table.seatings.order_by("place"))
        assert [s.total for s in seatings] == sorted((s.total for s in seatings), reverse=True)
        assert sum(s.total for s in seatings) == rules.chips * len(seatings)


@pytest.mark.extended
@pytest.mark.parametrize("house_rules", [(), ("penalty scoring", "bonus instead of double")])
def test_straight_rummy_tournament_qualifies_by_places(house_rules):
    def play(table):
        while not reread(table).is_over:
            win_by_waiting(table, 2)
        return reread(table)

    rules = straight_rules("straight", *house_rules, target=1)
    tournament = make_tournament(rules=rules, seats=2, qualify=1, final_seats=2)
    enter(tournament, 4)

    tournament = play_to_the_end(start(tournament), play)

    check_the_end(tournament)
    for table in tournament.rounds.get(no=1).round_tables.all():
        first, second = table.seatings.order_by("place")
        assert (first.total > second.total) is (not house_rules)
        assert (first.qualified, second.qualified) == (True, False)
