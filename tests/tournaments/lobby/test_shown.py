"""What the pages of tournaments show: winners by name, entrants so far, prizes, the checklist."""

from datetime import UTC, datetime, timedelta

import pytest
from django.urls import reverse

from players.eligibility import breaks
from players.eligibility.break_models import Break
from tests.builders.people.regions import open_region
from tests.builders.tables.making import make_player
from tests.builders.tournaments.tournaments import (
    enter,
    make_sit_and_go,
    make_tournament,
    play_to_the_end,
    start,
    tables_of,
)
from tournaments.entries.models import Entry
from tournaments.planning.models import Tournament
from tournaments.prizes.prize_pool import prize_minor

pytestmark = pytest.mark.django_db
LIST = reverse("tournaments")


def test_finished_tournament_names_its_winners_in_list_and_page(client):
    tournament = make_tournament()
    enter(tournament, 4)
    tournament = play_to_the_end(start(tournament))
    first = Entry.objects.select_related("player").get(tournament=tournament, place=1)

    listed = client.get(f"{LIST}?show=over").text
    page = client.get(reverse("tournament", args=[tournament.public_id])).text
    api = client.get(f"/api/v1/tournaments/{tournament.public_id}/").json()

    assert f"Won by <b>{first.player.handle}</b>" in listed
    winners = page.partition("Winners")[2].partition("</ol>")[0]
    assert first.player.handle in winners
    assert [row["handle"] for row in api["winners"]][:1] == [first.player.handle]
    assert sum(row["prize"]["minor"] for row in api["winners"]) == tournament.prize_minor


def test_open_tournament_says_how_many_have_entered_and_when_it_starts(client):
    scheduled, sit_and_go = make_tournament(), make_sit_and_go(entrants_max=9)
    enter(scheduled, 2)

    page = client.get(LIST).text

    assert "<b>2 of 27</b> entered · starts" in page
    assert "up to 9 players · starts when full" in page
    assert "0 of" not in page
    assert f"/tournaments/{sit_and_go.public_id}/" in page


def test_cancelled_tournament_says_when_in_list_and_page(client):
    tournament = make_tournament()
    enter(tournament, 2)
    Tournament.objects.filter(pk=tournament.pk).update(
        state=Tournament.State.CANCELLED, finished_at=datetime(2024, 3, 5, 12, 30, tzinfo=UTC)
    )

    for address in (f"{LIST}?show=over", reverse("tournament", args=[tournament.public_id])):
        assert "<b>2 of 27</b> entered · cancelled 5 Mar, 18:00" in client.get(address).text


def test_tournament_table_shows_the_prizes_of_the_tournament(client):
    tournament = make_tournament(guarantee_minor=0)
    enter(tournament, 6)
    tournament = start(tournament)
    table = tables_of(tournament)[0]
    client.force_login(table.seats.first().player)

    view = client.get(reverse("table-api", args=[table.public_id])).json()

    assert view["prize"]["minor"] == prize_minor(tournament, entrants=6) == 6 * 90_00
    assert view["prize_is_most"] is False

    tournament = play_to_the_end(tournament)
    table.refresh_from_db()
    assert table.owner_prize_minor == tournament.prize_minor


def test_tournament_for_money_shows_the_checklist_instead_of_the_button(client):
    open_region("IN-KA")
    tournament = make_tournament(currency="INR")
    page = reverse("tournament", args=[tournament.public_id])
    client.force_login(make_player(country="IN", region="KA", birth_date=None))

    text = client.get(page).text

    assert "Before you play for money" in text
    assert f'href="{reverse("birth-date")}?next={page.replace("/", "%2F")}"' in text
    assert 'id="register"' not in text

    client.force_login(make_player(country="IN", region="TN"))
    assert "not offered where you live" in client.get(page).text
    client.force_login(make_player(country="IN", region="KA"))
    assert 'id="register"' in client.get(page).text


def test_player_on_a_break_sees_why_before_registering(client):
    player = make_player()
    client.force_login(player)
    page = reverse("tournament", args=[make_tournament().public_id])
    assert 'id="register"' in client.get(page).text

    breaks.take_break(player=player, kind=Break.Kind.COOL_OFF, length=timedelta(days=1))

    after = client.get(page).text
    assert 'id="register"' not in after
    assert "You have taken a break since" in after
