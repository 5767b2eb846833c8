"""The lobby's filters are stored in the URL and apply to rows, refreshes and quick seats."""

import pytest
from django.urls import reverse

from rummy import PROFILES
from tables.lobby import quick_seat
from tables.models.seats import Seat
from tables.seats import seating
from tests.builders.tables.making import make_player, make_rules, make_table
from tests.builders.tables.shared import shared

pytestmark = pytest.mark.django_db


@shared
def tables():
    points = {"rules": PROFILES["total-rummy-points"], "point_value_minor": 100}
    return {
        "people": make_table(name="People pool", seats_max=4),
        "dear": make_table(name="Dear pool", entry_minor=500_00, seats_max=6),
        "practice": make_table(name="Practice pool", bots_fill=True),
        "money": make_table(name="Money pool", currency="INR"),
        "points": make_table(name="Points table", entry_minor=80_00, **points),
        "deals": make_table(name="Best of two", rules=PROFILES["total-rummy-best-of-2"]),
    }


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


@pytest.mark.parametrize(
    ("wanted", "sat_at"),
    [
        ({"game": "pool", "kind": "people", "entry_min_minor": 101_00}, "dear"),
        ({"currency": "PTS", "entry_max_minor": 90_00}, "points"),
    ],
)
def test_quick_seat_takes_the_table_that_matches_the_filter(client, tables, wanted, sat_at):
    asked = {name: value for name, value in wanted.items() if not name.endswith("_minor")}
    asked |= {
        name.removesuffix("_minor"): f"{value / 100:.2f}"
        for name, value in wanted.items()
        if name.endswith("_minor")
    }
    assert "login" in client.post(reverse("quick-seat"), asked)["Location"]
    assert not Seat.objects.exists()
    client.force_login(make_player())

    page = client.post(reverse("quick-seat"), asked)
    client.force_login(make_player())
    del client.cookies["device"]  # Another browser.
    answer = client.post("/api/v1/quick-seat/", wanted, "application/json")

    assert page["Location"] == reverse("table", args=[tables[sat_at].public_id])
    assert (answer.status_code, answer.json()["id"]) == (201, str(tables[sat_at].public_id))
    assert answer.json()["me"] is not None


def test_refused_quick_seat_keeps_the_filter_and_shows_the_reason(client, tables):
    client.force_login(make_player())

    page = client.post(reverse("quick-seat"), {"game": "points", "entry_min": "900"}, follow=True)
    refused = [
        client.post("/api/v1/quick-seat/", wanted, "application/json")
        for wanted in ({"game": "points", "entry_min_minor": 900_00}, {"currency": "XXX"})
    ]

    assert page.redirect_chain == [(f"{reverse('lobby')}?game=points&entry_min=900", 302)]
    assert b"No open table matches" in page.content
    found = [(answer.status_code, answer.json()["code"]) for answer in refused]
    assert found == [(409, "no_table_fits"), (400, "invalid")]
    assert not Seat.objects.exists()


def test_quick_seat_takes_the_table_nearest_its_start_and_never_money_unasked():
    make_table(currency="INR", seats_max=2)
    make_table(seats_max=4, entry_minor=10_00)
    near = make_table(seats_max=3, rules=make_rules(start_seconds=10))
    seating.join(table_id=near.pk, player=make_player())

    assert quick_seat.sit_down(player=make_player()).table_id == near.pk
