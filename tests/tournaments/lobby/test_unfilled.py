"""Sit-and-gos that do not fill are cancelled."""

from datetime import timedelta

import pytest
from django.utils import timezone

from tests.builders.tables.making import make_player
from tests.builders.tournaments.outcomes import points_of
from tests.builders.tournaments.tournaments import again, enter, make_sit_and_go, tick
from tests.builders.wallet.tax_office import unguarded
from tournaments.entries.models import Entry
from tournaments.lobby import registration
from tournaments.planning.models import Tournament
from wallet.stakes.models import Stake

pytestmark = pytest.mark.django_db


def in_hours(hours):
    return timezone.now() + timedelta(hours=hours)


def test_unfilled_sit_and_go_is_cancelled_after_a_day():
    tournament, player = make_sit_and_go(), make_player()
    before = points_of(player)
    registration.register(tournament_id=tournament.pk, player=player)
    assert points_of(player) == before - 100_00
    assert tick(tournament, in_hours(23)).state == Tournament.State.REGISTERING

    assert tick(tournament, in_hours(25)).state == Tournament.State.CANCELLED

    assert points_of(player) == before
    assert not Stake.objects.live().exists()
    assert tick(tournament, in_hours(50)).state == Tournament.State.CANCELLED
    assert points_of(player) == before


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


def test_new_entry_does_not_extend_an_unfilled_sit_and_go():
    tournament = make_sit_and_go()
    enter(tournament)
    due = again(tournament).due_at

    enter(tournament)

    assert again(tournament).due_at == due
