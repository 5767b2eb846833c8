"""Ratings follow from finished public games alone, once each, in the order of their ends."""

from datetime import timedelta
from io import StringIO
from itertools import permutations
from math import sqrt
from random import Random

import pytest
from django.core.management import CommandError, call_command

from core.clock import database_now
from tables.bots import bots
from tables.integrity.moderation import rulings
from tables.models.tables import Table
from tables.ratings import actions
from tables.ratings.models import Rating, RatingChange
from tables.ratings.rating import MILLION, NEWCOMER, Skill, skills_after
from tables.seats import seating
from tables.seats.models import ReviewFlag
from tables.settlement import scoring
from tests.builders.tables.making import make_player, make_rules, make_table
from tests.builders.tables.playing import at_once
from tests.builders.tables.points_tables import make_points_game, next_deal, play_deal
from tests.builders.tables.pools import finished_pool
from tests.builders.tables.rated_games import people, rate, void

pytestmark = pytest.mark.django_db


def figures():
    """Every stored figure, without the rows' keys."""
    of_rating = ("player", "game", "pace", "with_bots", "mu", "sigma", "games")
    of_change = ("rating__player", "table", "deal_no", "place", "points", "mu", "sigma", "games")
    return (
        sorted(Rating.objects.values_list(*of_rating)),
        sorted(RatingChange.objects.values_list(*of_change)),
    )


def test_formula_matches_the_worked_example_of_two_newcomers():
    # Weng and Lin, algorithm 4, for two players of the same strength: each wins half the time.
    variance, beta = (25 / 3) ** 2 + (25 / 300) ** 2, 25 / 6
    c = sqrt(2 * (variance + beta**2))
    change = variance / c * 0.5
    shrinks = sqrt(variance * (1 - variance / c**2 * 0.25 * sqrt(variance) / c))

    winner, loser = skills_after([NEWCOMER, NEWCOMER], [1, 2])

    assert winner.mu / MILLION == pytest.approx(25 + change, abs=1e-5)
    assert loser.mu / MILLION == pytest.approx(25 - change, abs=1e-5)
    assert winner.sigma == loser.sigma == pytest.approx(shrinks * MILLION, abs=2)


@pytest.mark.parametrize("places", [[1, 2, 2, 2, 2, 2], [1, 1, 1], [1, 1, 3, 4], [1, 2, 3, 3]])
def test_tied_players_change_alike_in_every_order(places):
    after = {}
    for order in set(permutations(places)):
        for place, skill in zip(order, skills_after([NEWCOMER] * len(order), order), strict=True):
            after.setdefault(place, set()).add(Skill(round(skill.mu, -2), round(skill.sigma, -2)))

    assert {place: len(found) for place, found in after.items()} == dict.fromkeys(after, 1)
    means = [next(iter(after[place])).mu for place in sorted(after)]
    assert means == sorted(means, reverse=True)


def test_a_finished_pool_is_rated_once():
    players = people(3)
    table = finished_pool(players, players[0])

    assert [rate(), rate()] == [1, 0]

    changes = RatingChange.objects.order_by("place", "pk")
    assert [(each.table_id, each.deal_no, each.place) for each in changes] == [
        (table.pk, 0, place) for place in (1, 2, 2)
    ]
    expected = skills_after([NEWCOMER] * 3, [1, 2, 2])
    assert [each.skill for each in changes] == expected
    mine = Rating.objects.get(player=players[0])
    assert (mine.game, mine.pace, mine.with_bots, mine.games) == ("pool", "standard", False, 1)
    assert mine.skill == expected[0]
    assert (mine.is_provisional, mine.shown > 1500, mine.margin < 667) == (True, True, True)


def test_a_game_that_has_just_ended_waits_for_earlier_ones():
    players = people(2)
    finished_pool(players, players[0])

    assert actions.rate_next_games(now=database_now()) == 0


def test_each_deal_of_a_points_table_is_a_game():
    table = make_points_game(players=3, stack=800_00)
    play_deal(table, 0, 30, 30)
    next_deal(table)
    play_deal(table, 50, 0, 10)

    assert rate() == 2

    changes = RatingChange.objects.order_by("deal_no", "place", "pk")
    assert [(each.deal_no, each.place, each.points) for each in changes] == [
        (1, 1, 0),
        (1, 2, 30),
        (1, 2, 30),
        (2, 1, 0),
        (2, 2, 10),
        (2, 3, 50),
    ]
    assert {*Rating.objects.values_list("game", "games")} == {("points", 2)}


@pytest.mark.parametrize("change", ["private", "cancelled", "flagged", "void"])
def test_games_that_must_not_count_are_never_rated(change):
    players = people(3)
    if change == "cancelled":
        table = make_table(seats_min=3, seats_max=3)
        for player in players:
            seating.join(table_id=table.pk, player=player)
        rulings.cancel_game(table_id=table.pk, by=make_player(is_staff=True), reason="A fault")
        scoring.settle_table(table_id=table.pk)
    else:
        table = finished_pool(players, players[0])
    if change == "private":
        Table.objects.filter(pk=table.pk).update(invite_code="abc")
    if change == "flagged":
        one, other, _ = table.seats.order_by("pk")
        ReviewFlag.objects.create(table=table, kind="network", seat=one, other=other)
    if change == "void":
        void(table, *players[:2])

    assert rate() == 0
    assert figures() == ([], [])


def test_games_with_bots_do_not_change_the_ratings_of_people():
    [player] = people(1)
    [bot] = bots.bots_for(make_table(), 1)
    finished_pool([player, bot], bot)

    rate()

    found = Rating.objects.values_list("player", "with_bots", "games")
    assert {*found} == {(player.pk, True, 1), (bot.pk, True, 1)}
    assert not Rating.objects.among_people().exists()


def test_games_and_paces_have_ratings_of_their_own():
    players = people(2)
    finished_pool(players, players[0])
    finished_pool(players, players[0], rules=make_rules(gap_seconds=60, turn_seconds=15))

    rate()

    found = Rating.objects.filter(player=players[0]).values_list("game", "pace", "games")
    assert {*found} == {("pool", "standard", 1), ("pool", "fast", 1)}


def test_a_voided_prize_takes_back_the_ratings_since_then():
    players = people(3)
    first = finished_pool(players, players[0])
    finished_pool(players, players[1])
    rate()
    before = Rating.objects.get(player=players[0]).skill

    void(first, *players[:2])
    rate()

    assert RatingChange.objects.filter(table=first).count() == 0
    assert Rating.objects.get(player=players[0]).games == 1
    assert Rating.objects.get(player=players[0]).skill != before
    call_command("recompute_ratings", "--check", stdout=StringIO())


@pytest.mark.parametrize("seed", range(3))
def test_late_games_lead_to_the_same_numbers_as_a_recomputation(seed):
    players = people(4)
    chance = Random(seed)
    games = []
    for _ in range(5):
        seated = chance.sample(players, 3)
        games.append(finished_pool(seated, chance.choice(seated)))
    rate()
    expected = figures()
    actions.take_back_ratings()
    assert figures() == ([], [])
    # Private tables are not seen, as are games that are not committed yet.
    Table.objects.filter(pk__in=[game.pk for game in games]).update(invite_code="hidden")

    chance.shuffle(games)
    for game in games:
        Table.objects.filter(pk=game.pk).update(invite_code="")
        rate()

    assert figures() == expected


def test_check_reports_a_difference_and_recomputing_removes_it():
    players = people(2)
    finished_pool(players, players[0])
    rate()
    call_command("recompute_ratings", "--check", stdout=StringIO())
    right = figures()
    Rating.objects.filter(player=players[0]).update(mu=99 * MILLION)

    found = StringIO()
    with pytest.raises(CommandError, match="1 differences"):
        call_command("recompute_ratings", "--check", stderr=found)
    assert f"player {players[0].pk}" in found.getvalue()

    actions.take_back_ratings()
    rate()
    assert figures() == right


@pytest.mark.django_db(transaction=True)
def test_two_workers_rate_games_that_end_at_once_in_one_order():
    players = people(4)
    for winner in players:
        finished_pool(players, winner)
    now = database_now() + timedelta(minutes=1)

    rated = at_once([lambda: actions.rate_next_games(now=now, limit=3) for _ in range(4)])

    assert sorted(rated) == [0, 0, 1, 3]
    assert [*Rating.objects.values_list("games", flat=True)] == [4] * 4
    stored = figures()
    actions.take_back_ratings()
    rate()
    assert figures() == stored
