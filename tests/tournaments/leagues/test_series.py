"""Series: seasons that count only the tournaments of their templates."""

from datetime import time, timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, transaction
from django.urls import reverse

from core.clock import database_now
from tables.accounts.own_data import own_data
from tests.builders.tables.making import make_player
from tests.builders.tables.rated_games import finished_pool, people, rate
from tests.builders.tournaments.played_contests import two_rounds
from tests.builders.tournaments.seasons import close, count, form_fields, make_season, plan
from tests.builders.tournaments.tournaments import make_template, make_tournament
from tournaments.exceptions import BadTerms
from tournaments.leagues import seasons
from tournaments.leagues.contests import contest_points
from tournaments.leagues.models import DEFAULT_POINTS, LeagueResult, Season, Standing
from wallet.audit.audit import check_findings, row_findings
from wallet.ledger.models import Account

pytestmark = pytest.mark.django_db


def test_a_series_counts_its_tournaments_alone_and_pays_its_pool():
    one, other, stranger = two_rounds(), two_rounds(), two_rounds()
    series = make_season(
        templates=[one.template_id, other.template_id], pools_minor=[100_01], prize_bps=[10_000]
    )
    season = make_season()
    players = people(2)
    finished_pool(players, players[0])
    rate()
    finished_pool(players, players[1])  # Not rated, which delays only the other season.

    for each in (series, season):
        count(each)

    places = [*one.entries.filter(place__isnull=False).values_list("place", flat=True)]
    won = max(contest_points(DEFAULT_POINTS, places, is_weighted=True))
    of_series = LeagueResult.objects.filter(season=series)
    assert {*of_series.values_list("table", "tournament")} == {(None, one.pk), (None, other.pk)}
    best = Standing.objects.filter(board__season=series, board__span="season").best_first()
    assert [*best.values_list("points", "wins", "games")[:2]] == [(won, 1, 1)] * 2
    in_season = LeagueResult.objects.filter(season=season)
    assert in_season.filter(tournament=stranger).exists()
    assert in_season.filter(table__isnull=False).exists()
    call_command("recompute_leagues", "--check", stdout=StringIO())

    assert (close(season).state, close(series).state) == ("open", "closed")
    assert [*series.outcomes.values_list("prize_minor", flat=True)] == [50_01, 50_00]
    assert Account.objects.get(pk=series.escrow_account_id).balance_minor == 0
    assert (row_findings(), check_findings()[0]) == ((), ())
    call_command("recompute_leagues", "--check", stdout=StringIO())


def test_check_reports_a_result_of_another_tournament():
    one, stranger = two_rounds(), two_rounds()
    series = make_season(templates=[one.template_id])
    count(series)
    [row, *_] = LeagueResult.objects.filter(season=series)
    row.pk, row.tournament = None, stranger
    row.save()

    found = StringIO()
    with pytest.raises(CommandError, match="differences"):
        call_command("recompute_leagues", "--check", stderr=found)

    assert f"('result', {row.player_id}, " in found.getvalue()


def test_pages_and_api_link_a_series_and_its_tournaments(client):
    played, ahead = two_rounds(), make_tournament(starts_in=30)
    daily = make_template(name="Daily cup", start_time=time(20), weekdays=[*range(7)])
    late = make_tournament(starts_in=600)
    series = make_season(
        name="Winter cup",
        ends_at=database_now() + timedelta(days=3),
        templates=[played.template_id, ahead.template_id, daily.pk],
    )
    finished = reverse("tournament", args=[played.public_id])

    page = client.get(reverse("league", args=[series.public_id])).text
    assert page.index(reverse("tournament", args=[ahead.public_id])) < page.index(finished)
    assert page.count("Daily cup") == 1 + 3  # Its name, and the next three days.
    assert reverse("tournament", args=[late.public_id]) not in page
    assert page.index("Tournaments of the series") < page.index('id="standings"')

    address = reverse("season-tournaments-api", args=[series.public_id])
    rows = client.get(address).json()["results"]
    assert [row["id"] for row in rows[:3]] == [str(played.public_id), str(ahead.public_id), None]
    assert (rows[0]["state"], len(rows)) == ("finished", 5)
    [row] = client.get(reverse("seasons-api")).json()["results"]
    assert len(row["templates"]) == 3

    assert reverse("league", args=[series.public_id]) in client.get(finished).text
    for one, linked in ((played, ["Winter cup"]), (late, [])):
        shown = client.get(reverse("tournament-api", args=[one.public_id])).json()
        assert [each["name"] for each in shown["series"]] == linked


def test_own_data_of_a_player_hold_their_entries_results_and_prizes():
    one = two_rounds()
    series = make_season(name="Winter cup", templates=[one.template_id], pools_minor=[100_00])
    count(series)
    close(series)
    winner = one.entries.get(place=1).player
    seasons.set_listed(player=winner, is_listed=False)

    found = own_data(winner)

    [entry] = found["tournament_entries"]
    assert (entry["tournament_name"], entry["state"]) == (one.name, "finished")
    assert (entry["place"], entry["entry_minor"], entry["currency"]) == (1, 100_00, "PTS")
    assert entry["prize_minor"] == one.entries.get(place=1).prize_minor > 0
    [result] = found["league_results"]
    assert (result["season_name"], result["tournament_name"]) == ("Winter cup", one.name)
    assert (result["place"], result["points"] > 0) == (1, True)
    [outcome] = found["league_outcomes"]
    assert (outcome["place"], outcome["prize_minor"] > 0) == (1, True)
    assert found["hidden_from_leaderboards_since"] is not None
    assert own_data(make_player())["league_results"] == []


@pytest.mark.parametrize(
    ("terms", "templates"),
    [
        ({"game": "pool"}, 1),
        ({"pace": "fast"}, 1),
        ({"currency": "INR"}, 1),
        ({}, 2),  # The same one twice.
    ],
)
def test_a_series_needs_templates_of_its_currency_and_no_other_filter(terms, templates):
    template = make_template()

    with pytest.raises(BadTerms):
        plan(templates=[template.pk] * templates, **terms)


def test_staff_choose_the_tournaments_and_nobody_changes_them_later(client):
    client.force_login(make_player(is_staff=True, is_superuser=True))
    one, other = make_template(name="One"), make_template(name="Other")
    add = reverse("admin:tournaments_season_add")
    wrong = client.post(add, form_fields(series=[one.pk], game="pool"))
    assert "Leave game and pace empty" in str(wrong.context["adminform"].form.errors)
    client.post(add, form_fields(series=[one.pk]))
    season = Season.objects.get()
    change = reverse("admin:tournaments_season_change", args=[season.pk])
    client.post(change, form_fields(series=[one.pk, other.pk]))
    season.refresh_from_db()
    assert season.templates == [one.pk, other.pk]

    Season.objects.filter(pk=season.pk).update(state="open")

    with pytest.raises(DatabaseError, match="terms of a season"), transaction.atomic():
        Season.objects.filter(pk=season.pk).update(templates=[one.pk])
    assert "One, Other" in client.get(change).text
