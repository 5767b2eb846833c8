"""Seasons count finished contests once, pay fixed prizes, and move players between divisions."""

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from hypothesis import given
from hypothesis import strategies as st

from core.clock import database_now
from players.notifications.models import Notification
from players.sign_in import actions as sign_in
from tables.integrity.collusion.models import FindingDecision, VoidedPrize
from tests.builders.processes.threads import at_once, waiting
from tests.builders.tables.findings import make_finding
from tests.builders.tables.making import make_player
from tests.builders.tables.rated_games import finished_pool, people, rate, void
from tests.builders.tournaments.played_contests import close_late_entry, two_rounds
from tests.builders.tournaments.seasons import board, close, count, give, make_season, plan
from tests.builders.tournaments.tournaments import (
    enter,
    make_tournament,
    play_round,
    play_to_the_end,
    play_whole_table,
    start,
)
from tournaments.exceptions import BadPrizes, BadTerms, SeasonHasOpened
from tournaments.leagues import counting, recomputing, seasons
from tournaments.leagues.contests import contest_points
from tournaments.leagues.models import DEFAULT_POINTS, LeagueResult, Outcome, Season, Standing
from tournaments.lobby import registration
from tournaments.planning.prize_table import prize_list, rows_for
from wallet.audit.audit import check_findings, row_findings
from wallet.ledger.models import Account

pytestmark = pytest.mark.django_db


def standings(season, division=1):
    rows = board(season, division).standings.best_first()
    return [*rows.values_list("player", "points", "wins", "games")]


def check():
    call_command("recompute_leagues", "--check", stdout=StringIO())


@pytest.mark.parametrize(
    ("places", "is_weighted", "points"),
    [
        # Tenths of the square root of the opponents: 1 is 1.0, 5 are 2.2, 100 are 10.0.
        ([1, 2], True, [100, 0]),
        ([1, 2, 3], True, [140, 84, 0]),
        ([1, 2, 3, 4, 5, 6], True, [220, 132, 88, 55, 33, 0]),
        ([1, 2, 3, 4, 5, 6], False, [100, 60, 40, 25, 15, 0]),
        # Two share places 2 and 3: (60 + 40) / 2, times 1.7.
        ([1, 2, 2, 4], True, [170, 85, 85, 0]),
        # All tied: (100 + 60 + 0) / 3 is 53.3.
        ([1, 1, 1], False, [53, 53, 53]),
        ([1], True, [0]),
    ],
)
def test_points_are_those_of_the_worked_examples(places, is_weighted, points):
    assert contest_points(DEFAULT_POINTS, places, is_weighted=is_weighted) == points


def test_a_tournament_of_101_counts_ten_times():
    points = contest_points(DEFAULT_POINTS, range(1, 102), is_weighted=True)

    assert points[:7] == [1000, 600, 400, 250, 150, 0, 0]
    assert set(points[5:]) == {0}


@given(
    ranks=st.lists(st.integers(0, 8), min_size=1, max_size=12),
    row=st.lists(st.integers(1, 500), min_size=1, max_size=8),
    is_weighted=st.booleans(),
)
def test_better_places_never_have_fewer_points_and_ties_the_same(ranks, row, is_weighted):
    places = [sorted(ranks).index(rank) + 1 for rank in ranks]
    formula = sorted(row, reverse=True)

    points = contest_points(formula, places, is_weighted=is_weighted)

    by_place = dict(zip(places, points, strict=True))
    assert [by_place[place] for place in places] == points
    in_order = [by_place[place] for place in sorted(by_place)]
    assert in_order == sorted(in_order, reverse=True)
    assert min(points) >= 0


def test_games_of_the_season_count_once_and_equal_a_recomputation():
    season = make_season()
    players = people(3)
    finished_pool(players, players[0])
    finished_pool(players[:2], players[1])
    rate()

    count(season)
    count(season)

    one, two, three = (player.pk for player in players)
    # Three players: 140, and the tied losers share places 2 and 3: (60 + 0) / 2, times 1.4.
    assert standings(season) == [(two, 142, 1, 2), (one, 140, 1, 2), (three, 42, 0, 1)]
    assert LeagueResult.objects.count() == 5
    assert season.boards.count() == 3
    check()
    call_command("recompute_leagues", stdout=StringIO())
    assert standings(season) == [(two, 142, 1, 2), (one, 140, 1, 2), (three, 42, 0, 1)]
    check()


@pytest.mark.parametrize(
    "terms",
    [{"game": "points"}, {"pace": "fast"}, {"currency": "INR"}, {"ends_at": "before"}],
)
def test_other_games_paces_currencies_and_times_do_not_count(terms):
    if terms.get("ends_at"):
        terms = {"ends_at": database_now() - timedelta(minutes=1)}
    season = make_season(**terms)
    players = people(2)
    finished_pool(players, players[0])
    rate()

    count(season)

    assert not LeagueResult.objects.exists()
    check()


def test_a_tournament_counts_once_with_its_final_places():
    season = make_season()
    tournament = two_rounds()
    rate()

    count(season)

    entries = tournament.entries.filter(place__isnull=False).order_by("place", "pk")
    places = [*entries.values_list("place", flat=True)]
    expected = contest_points(DEFAULT_POINTS, places, is_weighted=True)
    rows = LeagueResult.objects.order_by("place", "pk")
    assert {*rows.values_list("table", "tournament")} == {(None, tournament.pk)}
    assert [*rows.values_list("player", "place", "points")] == [
        (entry.player_id, entry.place, points)
        for entry, points in zip(entries, expected, strict=True)
    ]
    check()


def test_player_with_reentries_counts_once_and_takes_one_place():
    season = make_season()
    tournament = make_tournament(late_minutes=1, reentries_max=1)
    enter(tournament, 7)
    tournament = play_round(start(tournament), play_whole_table)
    out = tournament.entries.filter(state="out").order_by("seatings__place")
    for entry in out[:3]:
        registration.reenter(tournament_id=tournament.pk, player=entry.player)
    tournament = play_to_the_end(close_late_entry(tournament), play_whole_table)

    count(season)

    best = {}
    for entry in tournament.entries.filter(place__isnull=False).order_by("-place"):
        best[entry.player_id] = entry.place
    places = {
        player: 1 + sum(other < place for other in best.values()) for player, place in best.items()
    }
    assert (len(best), places != best) == (7, True)
    rows = LeagueResult.objects.all()
    assert {row.player_id: (row.place, row.finishers) for row in rows} == {
        player: (place, 7) for player, place in places.items()
    }
    check()


def test_a_voided_game_is_taken_off_the_leaderboards():
    season = make_season()
    players = people(2)
    void_game = finished_pool(players, players[0])
    finished_pool(players, players[1])
    rate()
    count(season)

    void(void_game, *players)
    count(season)

    assert standings(season) == [(players[1].pk, 100, 1, 1), (players[0].pk, 0, 0, 1)]
    check()


def test_a_voided_tournament_does_not_count():
    season = make_season()
    tournament = two_rounds()
    count(season)
    one, other, *_ = (entry.player for entry in tournament.entries.all())
    decision = FindingDecision.objects.create(
        finding=make_finding(one, other),
        outcome="uphold",
        reason="They shared cards.",
        made_by=make_player(is_staff=True),
    )
    VoidedPrize.objects.create(decision=decision, game=tournament.owner_ref)

    count(season)

    assert not LeagueResult.objects.exists()
    assert not Standing.objects.exists()
    check()


def test_staff_who_planned_the_season_get_no_points():
    players = people(2)
    now = database_now()
    season = Season(
        name="Autumn", starts_at=now - timedelta(hours=1), ends_at=now + timedelta(hours=1)
    )
    season = seasons.plan_season(season=season, by=players[0])
    season = seasons.open_season(season_id=season.pk, now=now)
    finished_pool(players, players[0])
    rate()

    count(season)

    assert [row[0] for row in standings(season)] == [players[1].pk]


def test_check_reports_each_kind_of_difference():
    season = make_season()
    players = people(2)
    finished_pool(players, players[0])
    rate()
    count(season)
    Standing.objects.filter(player=players[0]).update(points=7)
    LeagueResult.objects.filter(player=players[1]).delete()

    found = StringIO()
    with pytest.raises(CommandError, match="differences"):
        call_command("recompute_leagues", "--check", stderr=found)

    missing, wrong = (
        [line for line in found.getvalue().splitlines() if line.endswith(end)]
        for end in ("is missing", "must not be there")
    )
    assert any(f"('result', {players[1].pk}, 2, 0" in line for line in missing)
    assert any(f"('standing', {players[0].pk}, 7" in line for line in wrong)
    assert Standing.objects.filter(player=players[0]).first().points == 7
    call_command("recompute_leagues", stdout=StringIO())
    check()


def test_a_season_pays_its_pool_shares_ties_and_moves_players():
    season = make_season(
        pools_minor=[500_00, 100_01],
        prize_bps=[5000, 3000, 2000],
        promoted=2,
        relegated=1,
    )
    first, second, third, last = players = people(4)
    give(season, {first: 90, second: 50, third: 50, last: 10}, wins={third: True})
    assert Account.objects.get(pk=season.escrow_account_id).balance_minor == 600_01
    assert row_findings() == ()

    closed = close(season)
    assert close(season).finished_at == closed.finished_at

    # 100.01 in shares of 50, 30 and 20 percent; second and third share the last two.
    outcomes = Outcome.objects.order_by("-prize_minor", "pk")
    assert [*outcomes.values_list("player", "place", "next_division", "prize_minor")] == [
        (first.pk, 1, 1, 50_01),
        (third.pk, 2, 1, 25_00),
        (second.pk, 2, 2, 25_00),
    ]
    escrow = Account.objects.get(pk=season.escrow_account_id)
    assert (closed.state, escrow.balance_minor, closed.overlay_minor) == ("closed", 0, 100_01)
    assert row_findings() == ()
    assert check_findings()[0] == ()
    prizes = Notification.objects.filter(kind="season_prize")
    assert {*prizes.values_list("player", flat=True)} == {first.pk, second.pk, third.pk}

    divisions = counting.divisions_of(
        Season(follows=closed, pools_minor=[0, 0]), [player.pk for player in players]
    )
    assert [divisions[player.pk] for player in players] == [1, 2, 1, 2]


@pytest.mark.parametrize(
    ("numbers", "pool"), [(1, 1), (2, 100_01), (3, 7), (11, 1_000_03), (30, 999_99)]
)
def test_prizes_sum_to_the_pool_with_any_ties(numbers, pool):
    season = make_season(pools_minor=[pool])
    players = [make_player() for _ in range(numbers)]
    give(season, {player: 10 * (1 + number // 3) for number, player in enumerate(players)})

    close(season)

    won = [*Outcome.objects.values_list("prize_minor", flat=True)]
    assert sum(won) == pool
    assert Account.objects.get(pk=season.escrow_account_id).balance_minor == 0
    rows = prize_list(pool, rows_for(numbers), finishers=numbers)
    assert max(won) <= rows[0]


def test_a_season_without_points_returns_its_prizes():
    season = make_season(pools_minor=[500_00])
    players = people(1)
    give(season, {players[0]: 0})

    closed = close(season)

    assert (closed.overlay_minor, Outcome.objects.count()) == (0, 0)
    assert Account.objects.get(pk=season.escrow_account_id).balance_minor == 0
    assert check_findings()[0] == ()


@given(
    rows=st.lists(
        st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(1, 3)), min_size=2, max_size=20
    )
)
def test_the_order_is_total(rows):
    ranks = [
        Standing(points=p, wins=w, games=g, player_id=i).rank for i, (p, w, g) in enumerate(rows)
    ]

    assert len(set(ranks)) == len(ranks)


def test_a_season_waits_for_games_that_are_not_rated():
    season = make_season()
    players = people(2)
    finished_pool(players, players[0])

    assert close(season).state == "open"
    rate()
    assert close(season).state == "open"  # The game is counted first.
    assert close(season).state == "closed"
    assert LeagueResult.objects.count() == 2


def test_terms_are_fixed_when_the_season_opens():
    by = make_player(is_staff=True)
    season = make_season(pools_minor=[100_00])
    season.pools_minor = [200_00]

    with pytest.raises(SeasonHasOpened):
        seasons.plan_season(season=season, by=by)
    with pytest.raises(SeasonHasOpened):
        seasons.cancel_season(season_id=season.pk, by=by, reason="Late")
    planned = plan()
    cancelled = seasons.cancel_season(season_id=planned.pk, by=by, reason="Not needed")
    assert cancelled.state == "cancelled"
    assert seasons.open_season(season_id=planned.pk, now=database_now()).state == "cancelled"


@pytest.mark.parametrize(
    ("terms", "refusal"),
    [
        ({"ends_at": database_now}, BadTerms),
        ({"place_points": [10, 20]}, BadTerms),
        ({"place_points": []}, BadTerms),
        ({"pools_minor": []}, BadTerms),
        ({"promoted": 1}, BadTerms),
        ({"with_bots": True, "currency": "INR"}, BadTerms),
        ({"prize_bps": [9_000]}, BadPrizes),
    ],
)
def test_terms_that_contradict_each_other_are_refused(terms, refusal):
    if callable(terms.get("ends_at")):
        terms = {"ends_at": database_now() - timedelta(days=1)}

    with pytest.raises(refusal):
        plan(**terms)
    assert not Season.objects.exists()


def test_the_sweep_opens_counts_and_closes_what_is_due():
    now = database_now()
    before = plan(name="Before", starts_at=now - timedelta(days=8), ends_at=now - timedelta(days=1))
    after = plan(name="After", starts_at=now - timedelta(days=1), follows=before)

    for _ in range(3):
        seasons.sweep()

    states = [Season.objects.get(pk=season.pk).state for season in (before, after)]
    assert states == ["closed", "open"]


@pytest.mark.django_db(transaction=True)
def test_two_workers_close_a_season_once():
    season = make_season(pools_minor=[100_00])
    players = people(3)
    give(season, {player: 10 * (number + 1) for number, player in enumerate(players)})

    at_once([lambda: close(season) for _ in range(2)])

    assert sum(Outcome.objects.values_list("prize_minor", flat=True)) == 100_00
    assert Account.objects.get(pk=season.escrow_account_id).balance_minor == 0


@pytest.mark.django_db(transaction=True)
def test_a_player_who_is_blocked_during_the_promotion_is_passed_over():
    season = make_season(pools_minor=[0, 100_00], promoted=1, prize_bps=[10_000])
    first, second, _ = players = people(3)
    give(season, {player: 30 - 10 * number for number, player in enumerate(players)})
    staff = make_player(is_staff=True)

    with waiting(lambda: close(season)):
        sign_in.block(player_id=first.pk, by=staff, reason="Two accounts")

    rows = Outcome.objects.order_by("place").values_list(
        "player", "next_division", "prize_minor", "is_passed_over"
    )
    assert [*rows] == [(first.pk, 2, 0, True), (second.pk, 1, 100_00, False)]
    found = recomputing.differences()
    assert not [line for line in found if "outcome" in line]
