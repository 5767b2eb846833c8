"""The page "Play responsibly" and its API: limits, figures and the reality check."""

from datetime import timedelta

import pytest
from allauth.usersessions.models import UserSession
from django.urls import reverse
from django.utils import timezone

from players.limits.models import OwnLimit
from players.limits.own_limits import Scope, set_own_limit
from tables.models.seats import Seat
from tables.responsible.figures import WEEKS, reality_check, weekly_figures
from tables.responsible.pages import charts_of
from tables.responsible.verdicts import TABLES, TIME
from tables.seats import seating
from tests.builders.people.regions import open_region
from tests.builders.people.sessions import prove
from tests.builders.tables.making import make_player, make_table, sat
from tests.builders.tables.points_tables import make_points_table
from tests.builders.tables.pools import score
from tests.builders.wallet.amounts import sent
from tests.builders.wallet.players import fund

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)
LOSS_A_DAY = Scope(OwnLimit.Kind.LOSS, "INR", OwnLimit.Period.DAY)


@pytest.fixture(autouse=True)
def _lawful(db):
    open_region("IN-KA")


def a_player():
    player = make_player(country="IN", region="KA")
    fund(player, deposit=1_000_00)
    return player


def row_of(rows, kind, period=""):
    [row] = [row for row in rows if (row["kind"], row["period"]) == (kind, period)]
    return row


def test_api_sets_limits_and_returns_what_is_used(client):
    player = a_player()
    seating.join(table_id=make_table(currency="INR").pk, player=player)
    client.force_login(player)
    prove(client)
    url = reverse("api-own-limits")

    def post(**said):
        return client.post(url, said, content_type="application/json").json()["results"]

    post(kind="loss", period="day", currency="INR", amount_minor=500_00)
    post(kind="tables", number=3)
    rows = post(kind="loss", period="day", currency="INR", amount_minor=None)

    assert client.get(url).json() == {"results": rows, "next": None}
    assert [(row["kind"], row["period"]) for row in rows] == [
        ("loss", "day"),
        ("loss", "week"),
        ("loss", "month"),
        ("stake", ""),
        ("tables", ""),
        ("time", "day"),
    ]
    losses = row_of(rows, "loss", "day")
    assert losses["own"] == {"amount": sent(500_00), "number": None}
    assert losses["used"] == {"amount": sent(100_00), "number": None}
    assert (losses["coming"]["amount"], losses["coming"]["number"]) == (None, None)
    assert row_of(rows, "tables") == {
        "kind": "tables",
        "period": "",
        "currency": "",
        "own": {"amount": None, "number": 3},
        "used": {"amount": None, "number": 1},
        "coming": None,
    }
    assert row_of(rows, "stake")["used"] is None


@pytest.mark.parametrize(
    ("wrong", "status"),
    [
        ({"kind": "deposit"}, 400),
        ({"period": "year"}, 400),
        ({"amount_minor": 0}, 400),
        ({"currency": "PTS"}, 422),
        ({"number": 5}, 400),
        ({"kind": "tables", "period": ""}, 400),
        ({"kind": "tables", "period": "", "currency": "", "amount_minor": None, "number": 21}, 400),
    ],
)
def test_refused_limits_are_not_saved(client, wrong, status):
    client.force_login(a_player())
    said = {"kind": "loss", "period": "day", "currency": "INR", "amount_minor": 1_00} | wrong

    answer = client.post(reverse("api-own-limits"), said, content_type="application/json")

    assert (answer.status_code, bool(answer.json()["code"])) == (status, True)
    assert not OwnLimit.objects.exists()


def test_seat_refused_by_a_limit_shows_the_limit_and_its_start(client):
    player = a_player()
    limit = set_own_limit(player=player, scope=LOSS_A_DAY, most=50_00, is_proved=True)
    table = make_table(currency="INR")
    client.force_login(player)

    answer = client.post(
        f"/api/v1/tables/{table.public_id}/seats/",
        content_type="application/json",
        headers={"Idempotency-Key": "k"},
    )

    said = answer.json()
    assert (answer.status_code, said["code"]) == (403, "loss_limit")
    assert said["since"] == limit.applies_at.isoformat()
    assert "₹50.00 in 24 hours; ₹50.00 of it is left, and this costs ₹100.00" in said["detail"]
    assert "Choose a lower entry" in said["detail"]
    assert not Seat.objects.exists()


def test_weekly_figures_match_the_ledger():
    player, other = a_player(), a_player()
    table = make_table(currency="INR")
    for each in (player, other):
        seating.join(table_id=table.pk, player=each)
    score(table, 20, 101)
    sat(player, begun=21 * 24 * HOUR, lasted=2 * HOUR)

    weeks = {who: weekly_figures(who, "INR") for who in (player, other)}

    assert all(len(rows) == WEEKS for rows in weeks.values())
    nets = sorted(rows[-1].net.minor for rows in weeks.values())
    assert nets == [-100_00, 80_00]  # A pot of 200 less its rake of 20.
    assert [rows[-1].paid.minor for rows in weeks.values()] == [100_00, 100_00]
    assert sum(row.minutes for row in weeks[player][:-1]) == 120
    assert weekly_figures(player, "PTS")[-1].paid.minor == 0


def test_reality_check_counts_from_the_sign_in(client):
    player = a_player()
    early = make_points_table(currency="INR")
    seating.join(table_id=early.pk, player=player)
    client.force_login(player)
    client.get(reverse("own-play"))  # The session is noted with its first page.
    UserSession.objects.filter(user=player).update(created_at=timezone.now())
    seating.join(table_id=make_table(currency="INR").pk, player=player)

    said = client.get(reverse("api-reality-check")).json()

    assert said["interval_minutes"] == 0
    assert said["money"] == [
        {"paid": sent(100_00), "back": sent(0), "in_games": sent(100_00), "net": sent(0)}
    ]


def test_stake_paid_before_the_sign_in_and_returned_after_it_is_no_win(client):
    player = a_player()
    seat = seating.join(table_id=make_table(currency="INR").pk, player=player)
    client.force_login(player)
    client.get(reverse("own-play"))
    UserSession.objects.filter(user=player).update(created_at=timezone.now())
    seating.leave(seat_id=seat.pk)

    [since] = client.get(reverse("api-reality-check")).json()["money"]

    assert since == {
        "paid": sent(100_00),
        "back": sent(100_00),
        "in_games": sent(0),
        "net": sent(0),
    }


def test_page_sets_limits_and_shows_pending_increases_and_charts(client):
    player = a_player()
    client.force_login(player)
    prove(client)
    url = reverse("own-play")
    client.post(url, {"what": "loss:day", "most": "250"})
    client.post(url, {"what": "time:day", "most": "90"})
    client.post(url, {"what": "tables:", "most": "4"})

    raised = client.post(url, {"what": "loss:day", "most": "900.50"}, follow=True).text
    wrong = client.post(url, {"what": "tables:", "most": "1.5"}).text
    too_many = client.post(url, {"what": "tables:", "most": "21"}).text

    assert "Your limit increases after 24 hours" in raised
    assert "Raised to" in raised
    assert "₹900.50" in raised
    assert raised.count('<svg class="bars"') == 3
    assert "Enter a whole number of tables or minutes." in wrong
    assert "Enter a number from 1 to 20." in too_many
    assert OwnLimit.objects.filter(kind="tables").get().number == 4
    assert OwnLimit.objects.filter(kind="time").get().number == 90


def test_reminder_interval_is_one_of_those_offered_on_the_page_and_in_the_api(client):
    player, table = make_player(), make_table()
    client.force_login(player)
    page, api = reverse("table", args=[table.public_id]), reverse("api-reality-check")
    assert 'id="reality"' not in client.get(page).text

    client.post(reverse("reality-check"), {"minutes": "30"})
    assert 'id="reality"' in client.get(page).text
    client.post(reverse("reality-check"), {"minutes": "31"})
    player.refresh_from_db()
    assert player.reality_check_minutes == 30
    for minutes, status, saved in ((7, 400, 30), ("x", 400, 30), (0, 200, 0)):
        sent = {"interval_minutes": minutes}
        assert client.post(api, sent, content_type="application/json").status_code == status
        player.refresh_from_db()
        assert player.reality_check_minutes == saved


def test_players_with_a_time_limit_are_reminded(client):
    player = make_player()
    set_own_limit(player=player, scope=TIME, most=60, is_proved=True)
    sat(player, begun=2 * HOUR, lasted=HOUR / 2)
    client.force_login(player)

    assert 'id="reality"' in client.get(reverse("table", args=[make_table().public_id])).text
    said = client.get(reverse("api-reality-check")).json()
    assert (said["played_minutes"], said["limit_minutes"], said["limit_until"]) == (30, 60, None)
    sat(player, begun=HOUR, lasted=HOUR / 2)
    assert client.get(reverse("api-reality-check")).json()["limit_until"] is not None


def test_the_figures_of_the_plots_stand_in_a_table_too(client):
    player = a_player()
    seating.join(table_id=make_table(currency="INR").pk, player=player)
    client.force_login(player)

    page = client.get(reverse("own-play") + "?currency=INR")
    rows = client.get(reverse("api-own-figures") + "?currency=INR").json()["results"]

    assert len(rows) == WEEKS
    assert rows[-1]["paid"] == sent(100_00)
    assert page.text.count("<tr>") >= WEEKS
    [_, paid, net] = charts_of(weekly_figures(player, "INR"))
    assert paid.bars[-1].value.words == "₹100.00"
    assert net.bars[-1].is_below
    assert client.get(reverse("api-own-figures") + "?currency=USD").status_code == 422


def test_limits_and_figures_of_others_are_not_shown(client):
    player, other = a_player(), a_player()
    set_own_limit(player=other, scope=TABLES, most=2, is_proved=True)
    client.force_login(player)

    rows = client.get(reverse("api-own-limits")).json()["results"]

    assert row_of(rows, "tables")["own"] == {"amount": None, "number": None}
    assert client.get(reverse("api-own-figures")).json()["results"][-1]["minutes"] == 0
    assert reality_check(player, None).money == []
    client.logout()
    assert client.get(reverse("api-own-limits")).status_code == 403
    assert client.get(reverse("own-play")).status_code == 302
