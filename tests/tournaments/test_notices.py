"""What players are told of their tournaments, and that it is once."""

from datetime import timedelta

import pytest

from players.models import Notice
from players.notice_words import words_of
from tests.tables.builders import make_player
from tests.tournaments.builders import (
    again,
    enter,
    make_tournament,
    play_table,
    start,
    tables_of,
    tick,
)
from tournaments.services import registration, stopping

pytestmark = pytest.mark.django_db


def told(kind):
    rows = Notice.objects.filter(kind=kind).order_by("player")
    return list(rows.values_list("player", "amount"))


def test_who_moves_up_from_the_waiting_list_is_told_that_he_has_paid():
    tournament = make_tournament(entrants_max=2)
    first, _, third = enter(tournament, 3)
    assert told("tournament_place") == []

    registration.withdraw(entry_id=first.pk)

    assert told("tournament_place") == [(third.player_id, "100.00 PTS")]
    assert "you are in" in words_of(Notice.objects.get(player=third.player_id))


def test_entrants_are_told_once_that_it_starts_within_minutes():
    tournament = make_tournament(starts_in=9)
    entries = enter(tournament, 2)
    later = make_tournament(starts_in=20)
    enter(later, 1)

    now = tournament.starts_at - timedelta(minutes=5)
    tick(tournament, now)
    tick(tournament, now)

    assert told("tournament_starts") == [(entry.player_id, "") for entry in entries]
    assert {row.happens_at for row in Notice.objects.all()} == {tournament.starts_at}


def test_all_entrants_are_told_of_a_calling_off():
    tournament = make_tournament()
    entries = enter(tournament, 3)

    stopping.cancel(tournament_id=tournament.pk, by=make_player(is_staff=True), reason="Flood")

    expected = [(entry.player_id, "") for entry in entries]
    assert told("tournament_called_off") == expected


def test_a_prize_is_told_to_whoever_is_paid():
    tournament = make_tournament(seats=3, final_seats=3, prize_bps=[10_000])
    enter(tournament, 3)
    start(tournament)
    for table in tables_of(tournament):
        play_table(table)
    tick(tournament)

    winner = again(tournament).entries.get(place=1)
    assert told("tournament_prize") == [(winner.player_id, "270.00 PTS")]
