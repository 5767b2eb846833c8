"""Entries of one browser are refused; players of one network are flagged at tables."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from players.eligibility.break_models import Break
from players.eligibility.breaks import take_break
from players.notifications.models import Notification
from players.sign_in import actions as sign_ins
from tables.exceptions import SameDevice
from tables.seats import origins
from tables.seats.models import ReviewFlag, SeatOrigin
from tables.seats.origins import Origin
from tests.builders.people.regions import open_region
from tests.builders.staff.people import clerk
from tests.builders.tables.making import make_player
from tests.builders.tournaments.tickets import a_ticket, register_with
from tests.builders.tournaments.tournaments import (
    again,
    enter,
    make_sit_and_go,
    make_tournament,
    start,
)
from tests.builders.wallet.players import books
from tournaments.entries.models import Entry, EntryOrigin, Ticket
from tournaments.lobby import registration
from tournaments.lobby.registration import withdraw_stopped
from tournaments.planning.models import Tournament
from tournaments.rounds import clock, staff_actions
from wallet.audit.audit import row_findings
from wallet.stakes.models import Stake

pytestmark = pytest.mark.django_db


def enter_from(tournament, address, device="", player=None):
    return registration.register(
        tournament_id=tournament.pk,
        player=player or make_player(),
        origin=Origin(address, device),
    )


def test_a_second_account_of_one_browser_is_refused_and_pays_nothing():
    tournament, other = make_tournament(), make_player()
    first = enter_from(tournament, "198.51.100.7", "cookie")
    before = books()

    with pytest.raises(SameDevice):
        enter_from(tournament, "203.0.113.9", "cookie", other)

    assert books() == before
    assert tournament.entries.count() == EntryOrigin.objects.count() == 1
    assert enter_from(make_tournament(), "203.0.113.9", "cookie", other)
    registration.withdraw(entry_id=first.pk)
    assert enter_from(tournament, "203.0.113.9", "cookie", other)


def test_cash_entries_without_a_cookie_count_as_one_browser_per_network():
    tournament = make_tournament()
    enter_from(tournament, "198.51.100.7", "cookie")
    here = origins.hashes(make_player(), Origin("198.51.100.7"))

    def alike(currency):
        condition = origins.one_browser(here, currency, through="origin__")
        return tournament.entries.filter(condition).count()

    assert (alike("INR"), alike("PTS")) == (1, 0)


def test_browser_limit_includes_waiting_and_removed_players():
    tournament = make_tournament(entrants_max=3)
    entries = [enter_from(tournament, f"198.51.100.{no}", f"cookie-{no}") for no in range(4)]
    assert entries[3].state == "waiting"
    staff = make_player(is_staff=True)
    staff_actions.remove(entry_id=entries[0].pk, reason="Collusion", by=staff)

    for device in ("cookie-0", "cookie-3"):
        with pytest.raises(SameDevice):
            enter_from(tournament, "203.0.113.9", device)


def test_players_of_one_network_are_flagged_at_their_table():
    tournament = make_tournament(seats=3, qualify=1)
    entries = [enter_from(tournament, "198.51.100.7", f"cookie-{no}") for no in range(2)]
    enter_from(tournament, "203.0.113.9", "cookie-9")
    assert not ReviewFlag.objects.exists()

    start(tournament)

    flag = ReviewFlag.objects.get()
    assert {flag.seat.player, flag.other.player} == {entry.player for entry in entries}
    assert (flag.kind, flag.table) == ("network", flag.seat.table)
    kept = SeatOrigin.objects.get(seat=flag.seat)
    assert kept.network_hash == EntryOrigin.objects.get(entry=entries[0]).network_hash
    assert "198.51" not in kept.network_hash
    assert again(tournament).state == "running"


def test_practice_tournament_records_no_origins():
    tournament = make_tournament(bots_fill=True)

    assert [enter_from(tournament, "198.51.100.7", "cookie") for _ in range(2)]

    assert not EntryOrigin.objects.exists()


def test_page_and_api_refuse_the_second_account_of_a_browser(client):
    tournament = make_tournament()
    page = reverse("tournament", args=[tournament.public_id])
    client.force_login(make_player())
    client.get(page)
    assert "device" in client.cookies
    client.post(reverse("tournament-register", args=[tournament.public_id]))
    client.force_login(make_player())

    refused = client.post(reverse("tournament-register", args=[tournament.public_id]), follow=True)
    answer = client.post(
        f"/api/v1/tournaments/{tournament.public_id}/entry/", {}, content_type="application/json"
    )

    assert "Another account is registered from this browser" in refused.text
    assert (answer.status_code, answer.json()["code"]) == (409, "same_device")
    assert tournament.entries.count() == 1


def exclude(player):
    take_break(player=player, kind=Break.Kind.EXCLUSION, length=None)


def block(player):
    sign_ins.block(player_id=player.pk, by=clerk(), reason="Two accounts")


def state_of(entry):
    return Entry.objects.get(pk=entry.pk).state


@pytest.mark.parametrize("stop", [exclude, block])
def test_entry_of_a_stopped_player_is_refunded_and_goes_to_the_waiting_list(stop):
    tournament = make_tournament(entrants_max=2)
    first, second, waiting = enter(tournament, 3)
    assert withdraw_stopped(now=timezone.now()) == 0

    stop(first.player)

    assert withdraw_stopped(now=timezone.now()) == 1
    assert withdraw_stopped(now=timezone.now()) == 0
    assert [state_of(each) for each in (first, second, waiting)] == [
        Entry.State.WITHDRAWN,
        Entry.State.REGISTERED,
        Entry.State.REGISTERED,
    ]
    assert Entry.objects.get(pk=first.pk).stake.status == Stake.Status.REFUNDED
    assert row_findings() == ()
    assert Notification.objects.filter(kind=Notification.Kind.TOURNAMENT_REMOVED).count() == 1


def test_player_excluded_just_before_the_start_is_not_seated():
    tournament = make_tournament(starts_in=1)
    entries = enter(tournament, 3)
    exclude(entries[0].player)

    clock.apply_overdue(
        tournament_id=tournament.pk, now=timezone.now() + timedelta(minutes=1, seconds=1)
    )

    assert again(tournament).state == Tournament.State.RUNNING
    assert state_of(entries[0]) == Entry.State.WITHDRAWN
    assert Entry.objects.drawn().count() == 2
    assert row_findings() == ()


def test_running_tournament_keeps_a_stopped_player():
    tournament = make_sit_and_go(entrants_max=3)
    entries = enter(tournament, 3)
    clock.sweep(now=timezone.now())
    assert again(tournament).state == Tournament.State.RUNNING

    exclude(entries[0].player)

    assert withdraw_stopped(now=timezone.now()) == 0
    assert state_of(entries[0]) not in Entry.GONE


def test_ticket_of_a_stopped_player_becomes_usable_again():
    open_region("IN-KA")
    _satellite, main, tickets = a_ticket(currency="PTS")
    ticket = Ticket.objects.get(pk=tickets[0].pk)
    register_with(ticket, main)

    exclude(ticket.player)
    assert withdraw_stopped(now=timezone.now()) == 1

    ticket.refresh_from_db()
    assert ticket.state == Ticket.State.ISSUED
    assert row_findings() == ()
