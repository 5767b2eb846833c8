"""Sit-and-gos start when they are full, and are cancelled if they do not fill within a day."""

from datetime import timedelta

import pytest
from django.utils import timezone

from tests.builders.tables.making import make_player
from tests.builders.tournaments.outcomes import check_the_end, notified, points_of
from tests.builders.tournaments.tournaments import (
    again,
    enter,
    make_sit_and_go,
    play_to_the_end,
    tick,
)
from tests.builders.wallet.tax_office import unguarded
from tournaments.entries.models import Entry
from tournaments.exceptions import RegistrationClosed
from tournaments.lobby import registration
from tournaments.planning.models import Tournament
from wallet.stakes.models import Stake

pytestmark = pytest.mark.django_db


def in_hours(hours):
    return timezone.now() + timedelta(hours=hours)


def test_full_sit_and_go_refuses_withdrawals_and_is_started_by_the_sweep():
    tournament = make_sit_and_go(entrants_max=3, prize_bps=[10_000])
    enter(tournament, 2)
    assert tick(tournament).state == Tournament.State.REGISTERING
    [last] = enter(tournament)

    with pytest.raises(RegistrationClosed):
        registration.withdraw(entry_id=last.pk)

    assert again(tournament).state == Tournament.State.REGISTERING
    tournament = tick(tournament)
    assert tournament.state == Tournament.State.RUNNING
    tournament = play_to_the_end(tournament)
    check_the_end(tournament)
    assert tournament.rounds.get().is_final
    winner = tournament.entries.get(place=1)
    assert notified("tournament_prize") == [(winner.player_id, "270 PTS")]


def test_sit_and_go_does_not_start_after_a_withdrawal():
    tournament = make_sit_and_go(entrants_max=3)
    first, _ = enter(tournament, 2)

    registration.withdraw(entry_id=first.pk)
    Tournament.objects.filter(pk=tournament.pk).update(
        due_at=timezone.now(), armed_at=timezone.now()
    )

    assert tick(tournament).state == Tournament.State.REGISTERING
    assert again(tournament).due_at - timezone.now() > timedelta(hours=23)


def test_unfilled_sit_and_go_is_cancelled_a_day_after_its_first_entry():
    tournament, player = make_sit_and_go(), make_player()
    before = points_of(player)
    registration.register(tournament_id=tournament.pk, player=player)
    due = again(tournament).due_at
    enter(tournament)
    assert again(tournament).due_at == due
    assert tick(tournament, in_hours(23)).state == Tournament.State.REGISTERING

    for hours in (25, 50):
        assert tick(tournament, in_hours(hours)).state == Tournament.State.CANCELLED
        assert points_of(player) == before

    assert not Stake.objects.live().exists()


def test_sit_and_go_waits_a_day_from_its_oldest_entry():
    tournament = make_sit_and_go()
    first, second = enter(tournament, 2)
    with unguarded():
        Entry.objects.filter(pk=first.pk).update(
            registered_at=timezone.now() - timedelta(hours=23, minutes=30)
        )

    registration.withdraw(entry_id=first.pk)

    assert tick(tournament, in_hours(1)).state == Tournament.State.REGISTERING
    registration.withdraw(entry_id=second.pk)
    assert again(tournament).due_at is None
