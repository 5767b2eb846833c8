"""The API of tournaments."""

import pytest

from tests.builders.tournaments.tournaments import enter, make_tournament, play_to_the_end, start
from tournaments.entries.models import Entry
from tournaments.planning.models import Tournament

pytestmark = pytest.mark.django_db
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


@pytest.mark.extended
def test_standings_tables_and_draw_of_a_finished_one(client):
    tournament = make_tournament()
    enter(tournament, 7)
    tournament = play_to_the_end(start(tournament))
    here = f"{ROOT}{tournament.public_id}/"

    page = client.get(here).json()
    assert (page["state"], page["is_frozen"]) == ("finished", True)
    assert [r["entrants"] for r in page["plan"]] == [7, 3]
    rows = client.get(f"{here}standings/").json()["results"]
    assert [row["place"] for row in rows] == sorted(row["place"] for row in rows)
    tables = client.get(f"{here}rounds/1/tables/").json()["results"]
    assert sum(len(table["players"]) for table in tables) == 7
    draw = client.get(f"{here}draw/").json()
    assert draw["seed"] == tournament.revealed_seed
    assert len(draw["order"]) == 7


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
