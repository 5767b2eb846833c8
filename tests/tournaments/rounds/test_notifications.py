"""Notifications of tournaments are sent once to the right players."""

from datetime import timedelta

import pytest
from django.utils import timezone

from players.notifications.models import Notification
from players.notifications.texts import text_of
from tests.builders.tables.making import make_player
from tests.builders.tournaments.tournaments import (
    again,
    enter,
    make_tournament,
    play_table,
    start,
    tables_of,
    tick,
)
from tournaments.entries import notifications
from tournaments.lobby import registration
from tournaments.planning.models import Tournament
from tournaments.rounds import staff_actions, stopping

pytestmark = pytest.mark.django_db


def notified(kind):
    rows = Notification.objects.filter(kind=kind).order_by("player")
    return list(rows.values_list("player", "amount"))


def test_a_player_who_moves_up_from_the_waiting_list_is_notified_of_the_payment():
    tournament = make_tournament(entrants_max=2)
    first, _, third = enter(tournament, 3)
    assert notified("tournament_place") == []

    registration.withdraw(entry_id=first.pk)

    assert notified("tournament_place") == [(third.player_id, "100 PTS")]
    assert "You have a place in" in text_of(Notification.objects.get(player=third.player_id))


def test_entrants_are_reminded_once_before_the_start():
    tournament = make_tournament(starts_in=9)
    entries = enter(tournament, 2)
    later = make_tournament(starts_in=20)
    enter(later, 1)

    now = tournament.starts_at - timedelta(minutes=5)
    notifications.notify_of_starts(now)
    notifications.notify_of_starts(now)

    assert notified("tournament_starts") == [(entry.player_id, "") for entry in entries]
    assert {row.happens_at for row in Notification.objects.not_of_decisions()} == {
        tournament.starts_at
    }


def test_all_entrants_are_notified_of_a_cancellation():
    tournament = make_tournament()
    entries = enter(tournament, 3)

    stopping.cancel(tournament_id=tournament.pk, by=make_player(is_staff=True), reason="Flood")

    expected = [(entry.player_id, "") for entry in entries]
    assert notified("tournament_called_off") == expected


def test_prize_notification_goes_to_paid_players_only():
    tournament = make_tournament(seats=3, final_seats=3, prize_bps=[10_000])
    enter(tournament, 3)
    start(tournament)
    for table in tables_of(tournament):
        play_table(table)
    tick(tournament)

    winner = again(tournament).entries.get(place=1)
    assert notified("tournament_prize") == [(winner.player_id, "270 PTS")]


def make_staff():
    return make_player(is_staff=True)


def remarks(kind):
    return set(Notification.objects.filter(kind=kind).values_list("remark", flat=True))


def test_entrants_and_waiting_list_are_notified_of_a_delay_with_its_reason():
    tournament = make_tournament(entrants_max=2)
    entries = enter(tournament, 3)
    later = tournament.starts_at + timedelta(hours=1)

    staff_actions.delay(
        tournament_id=tournament.pk, starts_at=later, by=make_staff(), reason="Rain"
    )

    assert notified("tournament_delayed") == [(entry.player_id, "") for entry in entries]
    assert remarks("tournament_delayed") == {"Rain"}
    assert {row.happens_at for row in Notification.objects.not_of_decisions()} == {later}
    assert "now starts at" in text_of(Notification.objects.not_of_decisions().first())


def test_start_delayed_for_too_few_sends_only_delay_notifications():
    tournament = make_tournament(entrants_min=4, extend_minutes=30)
    entries = enter(tournament, 3)

    tournament = start(tournament)

    assert notified("tournament_delayed") == [(entry.player_id, "") for entry in entries]
    assert {row.happens_at for row in Notification.objects.not_of_decisions()} == {
        tournament.starts_at
    }


def test_removed_player_is_notified_of_reason_and_refund():
    tournament = make_tournament()
    early, late, *_ = enter(tournament, 4)
    staff_actions.remove(entry_id=early.pk, by=make_staff(), reason="Two accounts")
    start(tournament)

    staff_actions.remove(entry_id=late.pk, by=make_staff(), reason="Told cards")

    assert notified("tournament_removed") == [(early.player_id, "")]
    assert notified("tournament_disqualified") == [(late.player_id, "")]
    assert "Your entry was refunded" in text_of(
        Notification.objects.not_of_decisions().get(player=early.player)
    )
    assert "Told cards" in text_of(Notification.objects.not_of_decisions().get(player=late.player))


def test_no_shows_and_released_waiting_list_are_notified():
    tournament = make_tournament(entrants_max=3, check_in_minutes=10, no_show="refund")
    *here, away, _, waiting = enter(tournament, 5)
    Tournament.objects.filter(pk=tournament.pk).update(state=Tournament.State.CHECK_IN)
    for entry in here:
        registration.check_in(entry_id=entry.pk)

    start(tournament)

    assert notified("tournament_missed") == [(away.player_id, "")]
    assert notified("tournament_no_place") == [(waiting.player_id, "")]


def test_late_entrant_without_a_table_is_notified_of_the_refund():
    tournament = make_tournament(late_minutes=20, final_seats=2)
    enter(tournament, 3)
    tournament = start(tournament)
    [late] = enter(tournament)
    Tournament.objects.filter(pk=tournament.pk).update(
        started_at=timezone.now() - timedelta(minutes=21)
    )

    for table in tables_of(tournament):
        play_table(table)
    tick(tournament)

    assert notified("tournament_no_table") == [(late.player_id, "")]
