"""Pages of tournaments: states, actions and numbers of queries."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from players.eligibility import breaks
from players.eligibility.break_models import Break
from players.eligibility.hold_models import Hold
from tables.view.table_view import table_view
from tests.builders.people.holds import hold_player
from tests.builders.people.regions import open_region
from tests.builders.tables.making import make_player
from tests.builders.tournaments.played_contests import BALANCED, RACE
from tests.builders.tournaments.tournaments import (
    enter,
    make_sit_and_go,
    make_template,
    make_tournament,
    play_round,
    play_to_the_end,
    start,
    tables_of,
)
from tournaments.entries.models import Entry
from tournaments.lobby.detail import tournament_page
from tournaments.planning.models import Tournament
from tournaments.prizes.prize_pool import prize_minor
from wallet.ledger import accounts, posting
from wallet.ledger.models import Account, Transfer

pytestmark = pytest.mark.django_db


def address(name, tournament, *more):
    return reverse(name, args=[tournament.public_id, *more])


def test_draft_is_not_found(client):
    tournament = make_tournament()
    Tournament.objects.filter(pk=tournament.pk).update(state=Tournament.State.DRAFT)

    assert client.get(address("tournament", tournament)).status_code == 404
    assert tournament.name not in client.get(reverse("tournaments")).text


def test_registering_and_withdrawing_by_the_page(client, player):
    tournament = make_tournament()
    assert "Register for" in client.get(address("tournament", tournament)).text

    page = client.post(address("tournament-register", tournament), follow=True).text
    assert "You are registered" in page
    again = client.post(address("tournament-register", tournament), follow=True).text
    assert "already registered" in again
    page = client.post(address("tournament-withdraw", tournament), follow=True).text

    assert "Your entry has been refunded" in page
    assert Entry.objects.get(player=player).state == Entry.State.WITHDRAWN


def test_a_full_tournament_offers_its_waiting_list(client, player):
    tournament = make_tournament(entrants_max=2)
    enter(tournament, 2)
    assert "Join the waiting list" in client.get(address("tournament", tournament)).text

    client.post(address("tournament-register", tournament))

    assert "number 1" in client.get(address("tournament", tournament)).text


def test_anonymous_visitor_sees_the_page_without_buttons(client):
    tournament = make_tournament()

    page = client.get(address("tournament", tournament)).text

    assert "Sign in to play" in page
    assert client.post(address("tournament-register", tournament)).status_code == 302


@pytest.mark.extended
def test_every_page_of_a_running_and_a_finished_tournament(client, player):
    tournament = make_tournament()
    api = f"/api/v1/tournaments/{tournament.public_id}/"
    client.post(address("tournament-register", tournament))
    enter(tournament, 6)
    assert "Shown when the draw is made" in client.get(address("tournament-draw", tournament)).text
    tournament = start(tournament)
    assert "Go to my table" in client.get(address("tournament", tournament)).text
    assert "Your table is ready" in client.get(reverse("tournament-ready")).text

    tournament = play_round(tournament)
    pages = ("tournament", "tournament-standings", "tournament-draw")
    for page in (*(address(name, tournament) for name in pages), f"{api}standings/"):
        assert client.get(page).status_code == 200
    assert client.get(address("tournament-round", tournament, 1)).status_code == 200
    assert client.get(address("tournament-round", tournament, 9)).status_code == 404
    tournament = play_to_the_end(tournament)

    standings = client.get(address("tournament-standings", tournament)).text
    assert player.handle in standings
    assert tournament.revealed_seed in client.get(address("tournament-draw", tournament)).text
    assert "Fixed when round 1 closed" in client.get(address("tournament", tournament)).text
    assert "Your table is ready" not in client.get(reverse("tournament-ready")).text
    shown = client.get(api).json()
    assert (shown["state"], shown["is_frozen"]) == ("finished", True)
    assert [r["entrants"] for r in shown["plan"]] == [7, 3]
    rows = client.get(f"{api}standings/").json()["results"]
    assert [row["place"] for row in rows] == sorted(row["place"] for row in rows)
    tables = client.get(f"{api}rounds/1/tables/").json()["results"]
    assert sum(len(table["players"]) for table in tables) == 7
    draw = client.get(f"{api}draw/").json()
    assert (draw["seed"], len(draw["order"])) == (tournament.revealed_seed, 7)


@pytest.mark.extended
def test_player_on_the_tournament_page_is_redirected_to_the_table(client, player):
    tournament = make_tournament()
    client.post(address("tournament-register", tournament))
    enter(tournament, 2)
    tournament = start(tournament)
    [table] = tables_of(tournament)
    here = f"http://testserver{address('tournament', tournament)}"

    answer = client.get(reverse("tournament-ready"), headers={"HX-Current-URL": here})

    assert answer["HX-Redirect"] == reverse("table", args=[table.public_id])


@pytest.mark.parametrize(
    ("terms", "standing"), [(BALANCED, "0 of 81"), (RACE, "0 points"), ({}, None)]
)
def test_table_of_one_deal_shows_the_standing_in_the_tournament(client, player, terms, standing):
    tournament = make_tournament(**terms)
    client.post(address("tournament-register", tournament))
    enter(tournament, 2)
    tournament = start(tournament)
    [table] = tables_of(tournament)
    here = f"http://testserver{reverse('table', args=[table.public_id])}"

    page = client.get(reverse("tournament-ready"), headers={"HX-Current-URL": here}).text

    assert ("own-standing" in page) == (standing is not None)
    assert standing is None or f"{standing} · rank 1" in page
    # Totals of one deal eliminate nobody, so drops left say nothing.
    assert (table_view(table, player).seats[0].drops_left is None) == (standing is not None)


@pytest.mark.extended
def test_absent_player_can_return_from_the_page(client, player):
    tournament = make_tournament(check_in_minutes=10)
    client.post(address("tournament-register", tournament))
    enter(tournament, 2)
    Tournament.objects.filter(pk=tournament.pk).update(state=Tournament.State.CHECK_IN)
    Entry.objects.exclude(player=player).update(state=Entry.State.CHECKED_IN)
    tournament = start(tournament)
    assert "I am here" in client.get(reverse("tournament-ready")).text

    answer = client.post(address("tournament-come-back", tournament))

    [table] = tables_of(tournament)
    assert answer.url == reverse("table", args=[table.public_id])
    assert not table.seats.filter(is_absent=True).exists()


@pytest.mark.extended
def test_more_tournaments_and_entrants_take_no_more_queries(client, player):
    def queries(entrants):
        tournament = make_tournament()
        enter(tournament, entrants)
        make_tournament()
        start(tournament)
        counts = []
        for name in ("tournament", "tournament-standings"):
            with CaptureQueriesContext(connection) as captured:
                client.get(address(name, tournament))
            counts.append(len(captured))
        with CaptureQueriesContext(connection) as captured:
            client.get(reverse("tournaments"))
        return [*counts, len(captured)]

    queries(3)
    few = queries(3)

    assert queries(9) == few
    assert min(few) > 0


def test_page_of_a_satellite_lists_its_tickets_which_are_not_shared(client):
    main = make_template(name="The main one", entry_minor=200_00)
    satellite = make_tournament(awards=main, entrants_min=3)

    page = tournament_page(satellite, None)

    assert page.awards == "The main one"
    assert "Tickets are not shared" in client.get(address("tournament", satellite)).text
    assert [(row.amount.minor, row.is_ticket) for row in page.prizes] == [
        (200_00, True),
        (70_00, False),
    ]


@pytest.mark.extended
def test_full_running_tournament_offers_no_late_entry_and_updates_its_standings(client, player):
    tournament = make_tournament(round_minutes=30, late_minutes=20, entrants_max=6)
    enter(tournament, 6)
    tournament = start(tournament)

    assert not tournament_page(tournament, player).may_register
    assert 'hx-select="#standings"' in client.get(address("tournament-standings", tournament)).text
    assert "no new deal after" in client.get(address("tournament", tournament)).text


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


def test_standings_mark_the_viewer_and_no_one_for_others(client):
    tournament = make_tournament()
    mine, *_ = enter(tournament, 4)
    tournament = play_to_the_end(start(tournament))
    address = f"/api/v1/tournaments/{tournament.public_id}/standings/"
    marked = []

    for viewer in (mine.player, make_player(), None):
        if viewer is None:
            client.logout()
        else:
            client.force_login(viewer)
        rows = client.get(address).json()["results"]
        marked.append([row["handle"] for row in rows if row["is_me"]])

    assert marked == [[mine.player.handle], [], []]


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

    for address in (
        f"{reverse('tournaments')}?show=over",
        reverse("tournament", args=[tournament.public_id]),
    ):
        assert "<b>2 of 27</b> entered · cancelled 5 Mar, 18:00" in client.get(address).text


@pytest.mark.parametrize(
    ("stop", "sentence", "leads_to"),
    [
        (
            lambda player: breaks.take_break(
                player=player, kind=Break.Kind.COOL_OFF, length=timedelta(days=1)
            ),
            "You have taken a break since",
            "responsible-play",
        ),
        (
            lambda player: hold_player(player, Hold.Kind.PLAY),
            "Play is on hold for your account.",
            "your-data",
        ),
    ],
    ids=["break", "hold"],
)
def test_stopped_player_sees_why_before_registering(client, stop, sentence, leads_to):
    player = make_player()
    client.force_login(player)
    page = reverse("tournament", args=[make_tournament().public_id])
    assert 'id="register"' in client.get(page).text

    stop(player)

    after = client.get(page).text
    assert 'id="register"' not in after
    note = after.split('id="checklist">')[1].split("</p>")[0]
    assert note.startswith(sentence)
    assert reverse(leads_to) in note


def test_debtor_sees_the_debt_before_registering(client):
    open_region("IN-KA")
    player = make_player(country="IN", region="KA")
    source = accounts.operator_account(kind=Account.Kind.GATEWAY_CLEARING, currency="INR")
    owed = accounts.open_player_account(player=player, currency="INR", kind="receivable")
    posting.post(
        key="debt", kind=Transfer.Kind.CHARGEBACK, entries=[(owed, -160_00), (source, 160_00)]
    )
    client.force_login(player)

    page = client.get(address("tournament", make_tournament(currency="INR"))).text

    assert 'id="register"' not in page
    note = page.split('id="checklist">')[1].split("</p>")[0]
    assert note.startswith("You owe ₹160.00")
    assert reverse("start-deposit") in note


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
