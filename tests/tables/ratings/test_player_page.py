"""The page of a player, the ratings in the lobby, and quick seating by them."""

from datetime import timedelta

import pytest
from django.core.cache import cache
from django.urls import reverse

from core.clock import database_now
from tables.lobby import quick_seat
from tables.lobby.offers import lobby_rows
from tables.models.deals import Move
from tables.models.tables import Table
from tables.ratings import actions, profile
from tables.ratings.models import Rating
from tables.ratings.profile import (
    head_to_head,
    recent_play,
    record_of,
)
from tables.ratings.rating import MILLION
from tables.seats import seating
from tables.state import clock
from tables.state.fold import fold_of
from tests.builders.tables.deals import settle, take_turn
from tests.builders.tables.making import make_player, make_rules, make_table
from tests.builders.tables.playing import deal_at, reread, run_out, seat_at
from tests.builders.tables.points_tables import make_points_game, next_deal, play_deal
from tests.builders.tables.pools import score

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("fresh_cache")]


def rate():
    actions.rate_next_games(now=database_now() + timedelta(minutes=1))
    cache.clear()


def rated(player, *, shown, games=50, **pool):
    """Give the player a rating as after many games."""
    pool = {"game": "pool", "pace": "standard", "with_bots": False} | pool
    mu, sigma = (shown - 500) * MILLION // 40, MILLION
    return Rating.objects.create(player=player, mu=mu, sigma=sigma, games=games, **pool)


def page(client, viewer, player, **query):
    client.force_login(viewer)
    return client.get(reverse("player", args=[player.handle]), query)


@pytest.fixture
def rivals():
    """Three players after two deals of a points table: the first won both."""
    table = make_points_game(players=3, stack=800_00)
    players = [seat_at(table, position).player for position in (1, 2, 3)]
    play_deal(table, 0, 30, 20)
    next_deal(table)
    costs = dict(zip(players, (0, 10, 10), strict=True))
    play_deal(table, *(costs[seat_at(table, position).player] for position in (1, 2, 3)))
    rate()
    return players


def figures_of(player):
    return {name: figure for name, figure in recent_play(player).items() if name != "hands"}


def test_page_shows_ratings_figures_and_common_games(client, rivals):
    winner, second, third = rivals

    shown = page(client, second, winner).text

    rating = Rating.objects.get(player=winner)
    assert f"{rating.shown} ± {rating.margin}" in shown
    assert "provisional" in shown
    assert "<polyline" in shown
    assert record_of(winner) == {"games": 2, "wins": 2, "least_points": None}
    assert figures_of(winner) == {"games": 2, "deals": 2, "shows": 2, "left": 0, "missed_turns": 0}
    against = head_to_head(winner, second)
    assert (against.games, against.viewer, against.player, against.tied) == (2, 0, 2, 0)
    tied = head_to_head(second, third)
    assert (tied.viewer, tied.player, tied.tied) == (1, 0, 1)
    assert head_to_head(winner, winner) is None
    assert "You against each other" in shown
    assert "You against each other" not in page(client, make_player(), winner).text


def test_hidden_profile_is_shown_only_to_its_player(client, rivals):
    winner, second, _ = rivals
    client.force_login(winner)
    fields = {"avatar": winner.picture.value, "language": "en", "time_zone": "Asia/Kolkata"}
    client.post(reverse("account"), fields)
    winner.refresh_from_db()
    rating = f"{Rating.objects.get(player=winner).shown} ±"

    assert not winner.has_public_profile
    hidden = page(client, second, winner)
    assert (hidden.status_code, rating in hidden.text) == (200, False)
    assert "does not show their profile" in hidden.text
    assert rating in page(client, winner, winner).text


def test_unknown_and_closed_accounts_have_no_page_and_visitors_sign_in(client):
    player = make_player()
    address = reverse("player", args=[player.handle.upper()])
    assert client.get(address).status_code == 302
    client.force_login(make_player())
    assert client.get(address).status_code == 200
    player.is_active = False
    player.save()
    assert client.get(address).status_code == 404


def test_lobby_shows_the_mean_rating_of_public_profiles_that_wait():
    table = make_table(seats_min=4, seats_max=4)
    people = [make_player(has_public_profile=number != 2) for number in range(3)]
    for shown, player in zip((1600, 1700, 2400), people, strict=True):
        rated(player, shown=shown)
        rated(player, shown=900, game="points")
        seating.join(table_id=table.pk, player=player)
    make_table(name="Empty")

    rows = {row.name: row.rating for row in lobby_rows(make_player())}

    assert rows == {"Test table": 1650, "Empty": None}


@pytest.mark.parametrize(
    ("mine", "free_near", "expected"),
    [
        (1500, 2, "near"),
        (1500, 3, "near"),
        # Two seats weigh as much as the distance.
        (1500, 4, "far"),
        (2000, 2, "far"),
        (None, 2, "far"),
    ],
)
def test_quick_seat_prefers_near_ratings_and_refuses_none(mine, free_near, expected):
    for name, shown, free in (("near", 1550, free_near), ("far", 2000, 1)):
        waiting = make_player()
        rated(waiting, shown=shown)
        table = make_table(
            name=name, seats_min=2, seats_max=free + 1, entry_minor=50_00, rules=RULES
        )
        seating.join(table_id=table.pk, player=waiting)
    player = make_player()
    if mine is not None:
        rated(player, shown=mine)

    assert quick_seat.sit_down(player=player).table.name == expected


RULES = make_rules(start_seconds=60)


def test_watched_games_name_the_ratings_of_public_profiles(client):
    table = make_table(seats_min=2, seats_max=2)
    players = [make_player(), make_player(has_public_profile=False)]
    for player in players:
        rated(player, shown=1640)
        seating.join(table_id=table.pk, player=player)
    assert reread(table).phase == Table.Phase.PLAYING

    shown = client.get(reverse("lobby")).text

    assert f"{players[0].handle} 1640" in shown
    assert f"{players[1].handle} 1640" not in shown
    score(table, 0, 101)


def test_left_deals_and_missed_turns_are_counted():
    table = make_points_game(players=2, stack=800_00)
    on_turn = fold_of(deal_at(table)).state.to_act
    misses, leaves = seat_at(table, on_turn), seat_at(table, 3 - on_turn)
    run_out(table, seconds=60)  # With the extra time.
    clock.apply_overdue(table_id=table.pk, now=database_now())

    seating.leave(seat_id=leaves.pk)
    settle(table)
    rate()

    one = {"games": 1, "deals": 1, "shows": 0, "left": 0, "missed_turns": 0}
    assert figures_of(misses.player) == one | {"missed_turns": 1}
    assert figures_of(leaves.player) == one | {"left": 1}


def test_quickest_shows_are_the_best_hands(client):
    table = make_points_game(players=2, stack=800_00)
    winner, other = (seat_at(table, position).player for position in (1, 2))
    for draws, points in ((2, 50), (1, 20), (1, 30), (3, 40)):
        while Move.objects.filter(deal=deal_at(table), seat__player=winner).count() < 2 * draws:
            take_turn(table)
        at = [seat_at(table, position).player for position in (1, 2)]
        play_deal(table, *(points if player == other else 0 for player in at))
        table = next_deal(table)
    rate()

    shown = page(client, other, winner).text

    hands = [(hand["turns"], hand["points"]) for hand in recent_play(winner)["hands"]]
    assert hands == [(1, 30), (1, 20), (2, 50)]
    assert shown.index("30 points for the others") < shown.index("20 points for the others")
    assert recent_play(other)["hands"] == []


def test_hands_of_a_running_game_for_money_are_on_no_page(monkeypatch):
    """Its spectators do not see them either, unless all players agree."""
    monkeypatch.setattr(profile, "PLAY_POINTS", "none")
    table = make_points_game(players=2, stack=800_00)
    take_turn(table)
    take_turn(table)
    winner = seat_at(table, 1).player
    play_deal(table, 0, 20)
    rate()
    assert recent_play(winner)["hands"] == []

    for position in (1, 2):
        seating.leave(seat_id=seat_at(table, position).pk)
    clock.apply_overdue(table_id=table.pk, now=database_now() + timedelta(hours=2))
    assert reread(table).is_over
    cache.clear()

    assert len(recent_play(winner)["hands"]) == 1
