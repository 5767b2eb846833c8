"""The lobby's filters are stored in the URL and apply to rows, refreshes and quick seats."""

import pytest
from django.urls import reverse

from rummy import PROFILES
from tables.models.seats import Seat
from tests.builders.tables.making import make_player, make_table
from tests.builders.tables.shared import shared

pytestmark = pytest.mark.django_db


def open_tables():
    return {
        "people": make_table(name="People pool", seats_max=4),
        "dear": make_table(name="Dear pool", entry_minor=500_00, seats_max=6),
        "practice": make_table(name="Practice pool", bots_fill=True),
        "money": make_table(name="Money pool", currency="INR"),
        "points": make_table(
            name="Points table",
            rules=PROFILES["total-rummy-points"],
            point_value_minor=100,
            entry_minor=80_00,
        ),
        "deals": make_table(name="Best of two", rules=PROFILES["total-rummy-best-of-2"]),
    }


@shared
def opened():
    return open_tables()


@pytest.fixture
def tables(opened):
    return opened


def names_on(page):
    text = page.content.decode()
    names = ["People pool", "Dear pool", "Practice pool", "Money pool", "Points table"]
    return {name for name in [*names, "Best of two"] if name in text}


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("game=points", {"Points table"}),
        ("game=deals", {"Best of two"}),
        ("game=pool&kind=practice", {"Practice pool"}),
        ("currency=INR", {"Money pool"}),
        ("game=pool&entry_min=101", {"Dear pool"}),
        ("entry_max=99.99", {"Points table"}),
        ("seats=4", {"People pool"}),
        ("game=pool&kind=people&seats=2&currency=PTS", set()),
    ],
)
def test_only_tables_that_fit_are_shown_and_stay_so_when_refreshed(client, tables, query, found):
    page = client.get(f"{reverse('lobby')}?{query}")
    again = client.get(f"{reverse('lobby')}?{query}", headers={"HX-Request": "true"})

    assert names_on(page) == names_on(again) == found
    order = ["game", "kind", "currency", "entry_min", "entry_max", "seats"]
    parts = sorted(query.split("&"), key=lambda part: order.index(part.partition("=")[0]))
    refresh = f'hx-get="{reverse("lobby")}?{"&amp;".join(parts)}"'
    assert refresh in page.content.decode()
    assert refresh in again.content.decode()


def test_tabs_keep_the_other_filters(client, tables):
    page = client.get(f"{reverse('lobby')}?kind=practice").content.decode()

    assert 'href="?game=pool&amp;kind=practice"' in page
    assert 'href="?kind=practice" aria-current="page"' in page


@pytest.mark.parametrize("query", ["game=chess", "entry_min=much", "seats=99", "currency=%00"])
def test_unreadable_filter_hides_nothing_and_practice_comes_first(client, tables, query):
    page = client.get(f"{reverse('lobby')}?{query}")

    assert page.status_code == 200
    assert names_on(page) == {
        "People pool",
        "Dear pool",
        "Practice pool",
        "Points table",
        "Best of two",
    }
    assert page.text.index("Practice pool") < page.text.index("People pool")


def test_running_games_are_shown_whatever_the_filter(client, tables):
    player = make_player()
    client.force_login(player)
    client.post(reverse("table-join", args=[tables["people"].public_id]))

    page = client.get(f"{reverse('lobby')}?game=deals")

    assert names_on(page) == {"People pool", "Best of two"}


def test_quick_seat_of_a_signed_in_player_matches_the_filter(client, tables):
    assert "login" in client.post(reverse("quick-seat"), {"game": "pool"})["Location"]
    assert not Seat.objects.exists()
    client.force_login(make_player())

    answer = client.post(reverse("quick-seat"), {"game": "pool", "entry_min": "101"})

    assert answer["Location"] == reverse("table", args=[tables["dear"].public_id])


def test_refused_quick_seat_keeps_the_filter_and_shows_the_reason(client, tables):
    client.force_login(make_player())

    page = client.post(reverse("quick-seat"), {"game": "points", "entry_min": "900"}, follow=True)

    assert page.redirect_chain == [(f"{reverse('lobby')}?game=points&entry_min=900", 302)]
    assert b"No open table matches" in page.content
    assert not Seat.objects.exists()


@pytest.mark.parametrize(
    ("wanted", "sat_at"),
    [
        ({"game": "pool", "kind": "people", "entry_min_minor": 101_00}, "dear"),
        ({"currency": "PTS", "entry_max_minor": 90_00}, "points"),
    ],
)
def test_quick_seat_api_uses_the_same_filters(client, tables, wanted, sat_at):
    client.force_login(make_player())

    answer = client.post("/api/v1/quick-seat/", wanted, "application/json")

    assert (answer.status_code, answer.json()["id"]) == (201, str(tables[sat_at].public_id))
    assert answer.json()["me"] is not None


@pytest.mark.parametrize(
    ("wanted", "status", "code"),
    [
        ({"game": "points", "entry_min_minor": 900_00}, 409, "no_table_fits"),
        ({"currency": "XXX"}, 400, "invalid"),
        ({"seats": 9}, 400, "invalid"),
    ],
)
def test_refused_quick_seat_api_returns_a_code(client, tables, wanted, status, code):
    client.force_login(make_player())

    answer = client.post("/api/v1/quick-seat/", wanted, "application/json")

    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert not Seat.objects.exists()
