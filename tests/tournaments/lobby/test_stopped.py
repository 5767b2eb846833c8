"""Entries of players who may no longer play are refunded before the start."""

from datetime import timedelta

import pytest
from django.utils import timezone

from players.eligibility.break_models import Break
from players.eligibility.breaks import take_break
from players.notifications.models import Notification
from players.sign_in import actions as sign_ins
from tests.builders.people.regions import open_region
from tests.builders.staff.people import clerk
from tests.builders.tournaments.tickets import a_ticket, register_with
from tests.builders.tournaments.tournaments import again, enter, make_sit_and_go, make_tournament
from tournaments.entries.models import Entry, Ticket
from tournaments.lobby.registration import withdraw_stopped
from tournaments.planning.models import Tournament
from tournaments.rounds import clock
from wallet.audit.audit import row_findings
from wallet.stakes.models import Stake

pytestmark = pytest.mark.django_db


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
