"""Leaderboards: pages, hidden players, own places, the API and the admin."""

from collections import Counter
from datetime import date, timedelta

import pytest
from django.core import signing
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from hypothesis import given, settings
from hypothesis import strategies as st

from core.clock import database_now
from tests.builders.tables.making import make_player
from tests.builders.tournaments.seasons import board, close, form_fields, give, make_season, plan
from tournaments.leagues import seasons, standings
from tournaments.leagues.counting import steps_of
from tournaments.leagues.models import Board, PointsCount, Season, Unlisted

pytestmark = pytest.mark.django_db


@pytest.fixture
def viewer(client):
    player = make_player(handle="viewer")
    client.force_login(player)
    return player


def pages_of(one, viewer=None):
    """Return the handles of every page of a leaderboard."""
    found, after = [], ""
    while after is not None:
        page = standings.leaderboard(one, viewer, after=after)
        found.append([row.handle for row in page.rows])
        after = page.after
    return found


def test_pages_follow_each_other_without_gaps_and_share_places(monkeypatch):
    monkeypatch.setattr(standings, "ROWS_PER_PAGE", 3)
    season = make_season()
    players = [make_player(handle=f"p{number}") for number in range(8)]
    points = [90, 80, 80, 80, 50, 50, 10, 0]
    give(season, dict(zip(players, points, strict=True)), wins={players[3]: True})

    pages = pages_of(board(season))

    # Of equal points a first place is ahead, then the newer account.
    assert pages == [["p0", "p3", "p2"], ["p1", "p5", "p4"], ["p6", "p7"]]
    first = standings.leaderboard(board(season), players[5])
    figures = signing.loads(first.after, salt=f"tournaments.leagues.{board(season).pk}")
    assert figures == [80, 0, -1, str(players[2].public_id)]
    assert [(row.place, row.tied) for row in first.rows] == [(1, 1), (2, 3), (2, 3)]
    assert (first.me.place, first.me.tied, first.players) == (5, 2, 8)
    with pytest.raises(signing.BadSignature):
        standings.leaderboard(board(season), None, after="forged")


@given(
    others=st.lists(st.integers(0, 200_000), min_size=1, max_size=30),
    points=st.integers(0, 200_000),
)
@settings(max_examples=25, deadline=None)
def test_a_place_is_one_behind_all_with_more_points(others, points):
    with transaction.atomic():
        one = Board.objects.create(
            season=plan(), span="season", division=1, begins_on=date(2026, 1, 1)
        )
        steps = Counter(step for each in others for step in steps_of(each))
        PointsCount.objects.bulk_create(
            PointsCount(board=one, shift=shift, points=value, players=players)
            for (shift, value), players in steps.items()
        )

        assert standings.place_of(one, points) == 1 + sum(each > points for each in others)
        transaction.set_rollback(True)


def test_hidden_players_are_shown_to_nobody_else_and_still_win(client, viewer):
    season = make_season(pools_minor=[100_00])
    other, closed, secret = (make_player() for _ in range(3))
    give(season, {viewer: 50, other: 40, closed: 30, secret: 20})
    seasons.set_listed(player=viewer, is_listed=False)
    closed.is_active = False
    closed.save()
    secret.has_public_profile = False
    secret.save()

    assert pages_of(board(season)) == [[other.handle]]
    page = client.get(reverse("league", args=[season.public_id])).text
    assert "You: place 1 of 4, 50 points" in page
    assert "only you can see this" in page
    close(season)
    assert season.outcomes.get(player=viewer).prize_minor > 0
    client.logout()
    page = client.get(reverse("league", args=[season.public_id])).text
    assert viewer.handle not in page
    assert other.handle in page


def test_a_player_hides_and_shows_themselves(client, viewer):
    make_season()
    address = reverse("league-listed")

    client.post(address, {"listed": "no"})
    client.post(address, {"listed": "no"})
    assert Unlisted.objects.get().player == viewer
    client.post(address, {"listed": "yes"})
    assert not Unlisted.objects.exists()


@pytest.mark.parametrize("span", ["day", "week", "season", "century"])
def test_each_span_has_its_page(client, span):
    season = make_season()
    player = make_player()
    give(season, {player: 40})

    answer = client.get(reverse("league", args=[season.public_id]), {"span": span, "day": "x"})

    assert player.handle in answer.text
    day = {"span": "day", "day": "2020-01-01"}
    assert player.handle not in client.get(answer.request["PATH_INFO"], day).text


def test_a_page_has_the_same_number_of_queries_for_many_players(client, viewer):
    season = make_season()
    address = reverse("league", args=[season.public_id])

    def queries():
        with CaptureQueriesContext(
            connection,
        ) as found:
            client.get(address)
        return len(found)

    give(season, {viewer: 5, make_player(): 7})
    client.get(address)
    few = queries()
    give(season, {make_player(): number for number in range(20)})

    assert queries() == few <= 20


def test_pages_of_seasons_without_players_and_of_none(client):
    assert "No season has been planned yet" in client.get(reverse("leagues")).text
    planned = plan(starts_at=database_now() + timedelta(minutes=5))
    page = client.get(reverse("leagues"), follow=True).text
    assert planned.name in page
    assert "The season has not started yet" in page
    seasons.cancel_season(season_id=planned.pk, by=make_player(is_staff=True), reason="No")
    assert client.get(reverse("league", args=[planned.public_id])).status_code == 404


def test_the_api_lists_seasons_and_their_standings(client, monkeypatch):
    monkeypatch.setattr(standings, "ROWS_PER_PAGE", 1)
    season = make_season(pools_minor=[500_00, 100_00], promoted=1)
    players = [make_player() for _ in range(2)]
    give(season, {players[0]: 50, players[1]: 40})

    [row] = client.get(reverse("seasons-api")).json()["results"]
    assert (row["state"], row["place_points"]) == ("open", [100, 60, 40, 25, 15])
    assert [pool["minor"] for pool in row["pools"]] == [500_00, 100_00]
    address = reverse("season-api", args=[season.public_id])
    first = client.get(address, {"division": 2}).json()
    second = client.get(first["next"]).json()
    assert [each["handle"] for each in first["results"] + second["results"]] == [
        player.handle for player in players
    ]
    assert (first["players"], second["next"]) == (2, None)
    refused = client.get(address, {"division": 2, "after": "x"})
    assert (refused.status_code, refused.json()["code"]) == (400, "bad_parameter")


def test_staff_plan_change_and_cancel_a_season(client):
    client.force_login(make_player(is_staff=True, is_superuser=True))
    add = reverse("admin:tournaments_season_add")

    def errors(**wrong):
        return str(client.post(add, form_fields(**wrong)).context["adminform"].form.errors)

    assert "sum to 90 percent" in errors(prize_bps="50, 40")
    assert "Enter a whole number" in errors(place_points="many")
    assert "more points than a better one" in errors(place_points="1, 2")
    assert "Enter a number" in errors(pools="much")
    assert "need two divisions" in errors(pools="500")
    assert not Season.objects.exists()

    assert client.post(add, form_fields()).status_code == 302
    season = Season.objects.get()
    assert (season.pools_minor, season.place_points) == ([500_50, 100_00], [100, 50])
    change = reverse("admin:tournaments_season_change", args=[season.pk])
    assert client.post(change, form_fields(name="Spring")).status_code == 302
    season.refresh_from_db()
    assert (season.name, season.pools_minor) == ("Spring", [500_50, 100_00])
    listed = reverse("admin:tournaments_season_changelist")
    chosen = {"action": "cancel", "_selected_action": [season.pk], "remark": "Not needed"}
    client.post(listed, chosen)
    season.refresh_from_db()
    assert season.state == "cancelled"
    assert client.get(change).status_code == 200
    assert client.get(listed).status_code == 200
