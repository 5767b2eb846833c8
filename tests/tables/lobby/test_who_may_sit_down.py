"""The lobby's rows offer a seat to those whom the table would seat, and say why to the others."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils.html import escape

from core.clock import database_now
from players.accounts.models import User
from players.eligibility import breaks
from players.eligibility.break_models import Break
from players.eligibility.hold_models import Hold
from players.exceptions import NotEligible
from players.limits.own_limits import set_own_limit
from tables.models.seats import Seat
from tables.responsible.verdicts import TABLES, TIME
from tables.seats import seating
from tests.builders.people.holds import hold_player
from tests.builders.processes import clocks
from tests.builders.tables.making import make_player, make_table

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("fresh_cache")]


def on_a_break(player):
    breaks.take_break(player=player, kind=Break.Kind.COOL_OFF, length=timedelta(days=1))


def on_hold(player):
    hold_player(player, Hold.Kind.PLAY)


def at_the_most_tables(player):
    set_own_limit(player=player, scope=TABLES, most=1, is_proved=True)
    seating.join(table_id=make_table().pk, player=player)


def out_of_time(player):
    set_own_limit(player=player, scope=TIME, most=60, is_proved=True)
    with clocks.at_time(database_now() - timedelta(hours=2)):
        Seat.objects.create(table=make_table(), player=player)


@pytest.mark.parametrize(
    ("restrict", "label", "page"),
    [
        (on_a_break, "On a break", "responsible-play"),
        (on_hold, "On hold", "your-data"),
        (at_the_most_tables, "Table limit reached", "responsible-play"),
        (out_of_time, "Time limit reached", "responsible-play"),
    ],
)
def test_rows_show_the_refusal_of_the_table_before_the_click(client, restrict, label, page):
    player, table = make_player(), make_table()
    client.force_login(player)
    assert "Join for 100 PTS" in client.get(reverse("lobby")).text
    restrict(player)

    with pytest.raises(NotEligible) as refusal:
        seating.join(table_id=table.pk, player=player)

    lobby = client.get(reverse("lobby")).text
    assert "Join for" not in lobby
    assert "Quick seat" not in lobby
    assert f'id="join-{table.public_id}" href="#checklist">{label}</a>' in lobby
    note = lobby.split('id="checklist">')[1].split("</p>")[0]
    assert note.startswith(escape(str(refusal.value)))
    assert reverse(page) in note


def test_visitor_sits_down_at_a_listed_table_as_a_guest(client):
    table = make_table(name="Evening table", seats_max=3)
    join = reverse("table-join", args=[table.public_id])
    page = client.get(reverse("lobby")).text
    assert f'formaction="{join}"' in page
    assert "Play as guest" in page

    answer = client.post(join)

    assert answer["Location"] == reverse("table", args=[table.public_id])
    assert table.seats.get().player == User.objects.get(is_guest=True)


@pytest.mark.parametrize(
    ("terms", "there"),
    [
        ({"currency": "INR"}, "account_login"),
        ({"owner_ref": "tournament:1"}, "account_login"),
        ({"seats_max": 2}, "lobby"),
    ],
)
def test_no_account_is_made_for_a_visitor_who_cannot_sit_down(client, terms, there):
    table = make_table(**terms)
    if there == "lobby":  # All seats are taken.
        for _ in range(2):
            seating.join(table_id=table.pk, player=make_player())

    answer = client.post(reverse("table-join", args=[table.public_id]))

    assert answer["Location"].startswith(reverse(there))
    assert not User.objects.filter(is_guest=True).exists()
