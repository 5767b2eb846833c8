"""The list of tournaments: filters and stable pages, on the page and in the API."""

import re
from datetime import UTC, datetime, timedelta
from urllib.parse import unquote

import pytest
from django.urls import reverse
from django.utils import timezone

import rummy
from tests.builders.tables.making import make_player
from tests.builders.tournaments.tournaments import (
    make_sit_and_go,
    make_template,
    make_tournament,
)
from tournaments.entries.models import Entry
from tournaments.lobby import lists
from tournaments.lobby.lists import TournamentFilter, tournament_list
from tournaments.planning.models import Tournament
from tournaments.templatetags.tournament_text import until

pytestmark = pytest.mark.django_db
PAGE = "/tournaments/"
ROOT = "/api/v1/tournaments/"
STATES = {
    "running": {"state": "running"},
    "over": {"state": "finished", "finished_at": datetime(2090, 1, 1, tzinfo=UTC)},
}


def names(page):
    return [row.name for row in page.rows]


@pytest.fixture(autouse=True)
def _short_pages(monkeypatch):
    monkeypatch.setattr(lists, "ROWS_PER_PAGE", 2)


def all_pages(viewer, wanted, *, between=lambda: None):
    """Read all pages, and call `between` between two pages."""
    found, after = [], ""
    while after is not None:
        page = tournament_list(viewer, wanted, after=after)
        found += names(page)
        after = page.after
        between()
    return found


def a_few(number=5):
    return [make_tournament(name=f"Cup {no} of {number}") for no in range(1, number + 1)]


@pytest.mark.extended
@pytest.mark.parametrize("show", ["open", "running", "over", "mine"])
def test_list_pages_contain_each_tournament_once(show):
    viewer, tournaments = make_player(), a_few()
    moment = tournaments[0].starts_at
    Entry.objects.bulk_create(
        Entry(tournament=tournament, player=viewer, state=Entry.State.WAITING)
        for tournament in tournaments
    )
    Tournament.objects.update(starts_at=moment, started_at=moment, **STATES.get(show, {}))
    elsewhere = make_tournament()
    if show == "open":
        Tournament.objects.filter(pk=elsewhere.pk).update(state="running", started_at=moment)

    found = all_pages(viewer, TournamentFilter(show=show))

    assert sorted(found) == sorted(tournament.name for tournament in tournaments)


@pytest.mark.extended
def test_new_tournament_does_not_shift_list_pages():
    tournaments = a_few()

    found = all_pages(None, TournamentFilter(), between=lambda: make_tournament(starts_in=1))

    assert found == [tournament.name for tournament in tournaments]


def test_sit_and_gos_are_listed_after_scheduled_tournaments():
    waits, late, soon = make_sit_and_go(), make_tournament(starts_in=90), make_tournament()

    assert all_pages(None, TournamentFilter()) == [soon.name, late.name, waits.name]


@pytest.mark.extended
def test_filters_by_rules_and_kind(monkeypatch):
    monkeypatch.setattr(lists, "ROWS_PER_PAGE", 9)
    pool = make_tournament()
    deals = make_tournament(rules=rummy.PROFILES["total-rummy-best-of-2"])
    duel = make_tournament(seats=2, final_seats=2)
    satellite = make_tournament(awards=make_template())
    full = make_sit_and_go()

    def found(**wanted):
        return set(names(tournament_list(None, TournamentFilter(**wanted))))

    assert found(variant="Deals 2") == {deals.name}
    assert found(kind="heads_up") == {duel.name}
    assert found(kind="satellite") == {satellite.name}
    assert found(kind="sit_and_go") == {full.name}
    assert found(kind="scheduled", variant="Pool 81") == {pool.name, duel.name, satellite.name}


def test_links_to_tabs_and_the_next_page_keep_the_filters(client):
    _, second, third = a_few(3)

    rupees = make_tournament(currency="INR")
    page = client.get(PAGE, {"currency": "pts"})
    assert third.name not in page.text
    assert rupees.name not in page.text
    assert "?show=running&amp;currency=PTS" in page.text
    after = page.context["listed"].after
    on = client.get(PAGE, {"currency": "PTS", "after": after})

    assert (third.name in on.text, second.name in on.text) == (True, False)
    assert f"?currency=PTS&amp;after={after}" in unquote(page.text)
    assert f"?currency=PTS&amp;after={after}" in unquote(on.text)  # The poll keeps the page.
    answer = client.get(ROOT, {"currency": "PTS", "after": after}).json()
    assert ([row["name"] for row in answer["results"]], answer["next"]) == ([third.name], None)


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"show": "nonsense"}, "There is no list “nonsense”"),
        ({"kind": "swiss"}, "swiss is not one of the available choices"),
        ({"variant": "Bridge"}, "Bridge is not one of the available choices"),
        ({"currency": "XXX"}, "XXX is not one of the available choices"),
        ({"after": "made-up"}, "Invalid page link"),
    ],
)
def test_invalid_filter_shows_an_error_on_the_page_and_fails_in_the_api(client, wrong, error):
    tournament = make_tournament()

    page, answer = client.get(PAGE, wrong), client.get(ROOT, wrong)

    assert (page.status_code, answer.status_code) == (200, 400)
    assert error in page.text
    assert tournament.name in page.text
    refusal = answer.json()
    assert refusal["code"] == "bad_parameter"
    named = [refusal["parameter"]] if "parameter" in refusal else list(refusal["errors"])
    assert named == list(wrong)


@pytest.mark.extended
def test_cursor_of_another_list_is_refused(client):
    a_few(3)
    after = tournament_list(None).after

    assert client.get(ROOT, {"after": after}).status_code == 200
    assert client.get(ROOT, {"after": after, "show": "over"}).status_code == 400


@pytest.mark.extended
def test_a_start_is_counted_down_by_the_server_s_time(client):
    tournament = make_tournament(starts_in=90)
    for page in (PAGE, reverse("tournament", args=[tournament.public_id])):
        text = client.get(page).text
        [starts] = re.findall('data-starts="(.+?)"', text)
        [now] = re.findall('data-now="(.+?)"', text)
        assert datetime.fromisoformat(starts) == tournament.starts_at
        assert abs(datetime.fromisoformat(now) - timezone.now()) < timedelta(minutes=2)
        assert "in 1:2" in text or "in 1:30:00" in text
        assert 'src="/static/js/countdown.js"' in text

    Tournament.objects.update(state="running", started_at=tournament.starts_at)

    assert "data-starts" not in client.get(page).text


@pytest.mark.parametrize(
    ("left", "text"),
    [
        (timedelta(seconds=-1), "any moment"),
        (timedelta(0), "any moment"),
        (timedelta(milliseconds=1), "in 0:00:01"),
        (timedelta(minutes=59, seconds=59.5), "in 1:00:00"),
        (timedelta(days=1, hours=2, minutes=3, seconds=4), "in 1 d 2:03:04"),
    ],
)
def test_countdown_text(left, text):
    now = datetime(2090, 1, 1, tzinfo=UTC)

    assert until(now + left, now) == text


ROOT = "/api/v1/tournaments/"


def post(client, address):
    return client.post(address, {}, content_type="application/json")


@pytest.mark.extended
def test_a_program_enters_checks_in_and_follows(client, player):
    tournament = make_tournament(check_in_minutes=10)
    here = f"{ROOT}{tournament.public_id}/"
    assert [row["id"] for row in client.get(ROOT).json()["results"]] == [str(tournament.public_id)]

    answer = post(client, f"{here}entry/")
    assert (answer.status_code, answer.json()["state"]) == (201, "registered")
    again = post(client, f"{here}entry/")
    assert (again.status_code, again.json()["code"]) == (409, "already_registered")
    early = post(client, f"{here}entry/check-in/")
    assert (early.status_code, early.json()["code"]) == (409, "not_checking_in")
    Tournament.objects.update(state=Tournament.State.CHECK_IN)
    assert post(client, f"{here}entry/check-in/").json()["state"] == "checked_in"
    assert client.delete(f"{here}entry/").status_code == 204
    assert client.delete(f"{here}entry/").status_code == 404
    assert client.get(f"{here}draw/").status_code == 404


def test_bad_requests_are_refused_with_a_code(client, player):
    tournament = make_tournament()
    here = f"{ROOT}{tournament.public_id}/"

    bad = client.post(f"{here}entry/", {"ticket": "no uuid"}, content_type="application/json")
    assert bad.status_code == 400
    assert "code" in bad.json()
    missing = client.post(
        f"{here}entry/", {"ticket": str(tournament.public_id)}, content_type="application/json"
    )
    assert missing.status_code == 404
    client.logout()
    assert post(client, f"{here}entry/").status_code == 403
    assert not Entry.objects.exists()
