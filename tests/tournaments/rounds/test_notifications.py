"""What players are told of their tournaments, and that it is once."""

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
    assert "you are in" in text_of(Notification.objects.get(player=third.player_id))


def test_entrants_are_told_once_that_it_starts_within_minutes():
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


def test_all_entrants_are_told_of_a_calling_off():
    tournament = make_tournament()
    entries = enter(tournament, 3)

    stopping.cancel(tournament_id=tournament.pk, by=make_player(is_staff=True), reason="Flood")

    expected = [(entry.player_id, "") for entry in entries]
    assert notified("tournament_called_off") == expected


def test_a_prize_is_told_to_whoever_is_paid():
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


def test_all_who_are_in_or_wait_are_told_of_a_delay_and_why():
    tournament = make_tournament(entrants_max=2)
    entries = enter(tournament, 3)
    later = tournament.starts_at + timedelta(hours=1)

    staff_actions.delay(
        tournament_id=tournament.pk, starts_at=later, by=make_staff(), reason="Rain"
    )

    assert notified("tournament_delayed") == [(entry.player_id, "") for entry in entries]
    assert remarks("tournament_delayed") == {"Rain"}
    assert {row.happens_at for row in Notification.objects.not_of_decisions()} == {later}
    assert "was put off" in text_of(Notification.objects.not_of_decisions().first())


def test_a_start_put_off_for_too_few_is_told_and_nobody_is_told_of_a_place():
    tournament = make_tournament(entrants_min=4, extend_minutes=30)
    entries = enter(tournament, 3)

    tournament = start(tournament)

    assert notified("tournament_delayed") == [(entry.player_id, "") for entry in entries]
    assert {row.happens_at for row in Notification.objects.not_of_decisions()} == {
        tournament.starts_at
    }


def test_a_removed_player_is_notified_why_and_what_becomes_of_the_entry():
    tournament = make_tournament()
    early, late, *_ = enter(tournament, 4)
    staff_actions.remove(entry_id=early.pk, by=make_staff(), reason="Two accounts")
    start(tournament)

    staff_actions.remove(entry_id=late.pk, by=make_staff(), reason="Told cards")

    assert notified("tournament_removed") == [(early.player_id, "")]
    assert notified("tournament_disqualified") == [(late.player_id, "")]
    assert "back where it came from" in text_of(
        Notification.objects.not_of_decisions().get(player=early.player)
    )
    assert "Told cards" in text_of(Notification.objects.not_of_decisions().get(player=late.player))


def test_who_waited_in_vain_or_did_not_check_in_is_told():
    tournament = make_tournament(entrants_max=3, check_in_minutes=10, no_show="refund")
    *here, away, _, waiting = enter(tournament, 5)
    Tournament.objects.filter(pk=tournament.pk).update(state=Tournament.State.CHECK_IN)
    for entry in here:
        registration.check_in(entry_id=entry.pk)

    start(tournament)

    assert notified("tournament_missed") == [(away.player_id, "")]
    assert notified("tournament_no_place") == [(waiting.player_id, "")]


def test_who_came_late_for_no_table_is_told_that_the_entry_is_back():
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
