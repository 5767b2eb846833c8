"""Late entry: for some time after the start, late entrants fill new tables (RB 10.1)."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import Max

from players.notifications.models import Notification
from tournaments.entries import admission, notifications
from tournaments.entries.models import Entry, RoundTable, Seating
from tournaments.planning.locks import LockedTournament
from tournaments.planning.models import Tournament
from tournaments.planning.plan import qualifying_from


def closes_at(tournament: Tournament) -> datetime | None:
    """Return when late entry ends, or None without late entry."""
    if not tournament.late_minutes or tournament.started_at is None:
        return None
    return tournament.started_at + timedelta(minutes=tournament.late_minutes)


def are_open(tournament: Tournament, now: datetime) -> bool:
    """Return whether late entry is open; it is not if round 1 is the final."""
    end = closes_at(tournament)
    if tournament.state != Tournament.State.RUNNING or end is None or now >= end:
        return False
    return tournament.rounds.filter(no=1, is_final=False, finished_at=None).exists()


def seat_whole_tables(tournament: LockedTournament) -> list[RoundTable]:
    """Seat late entries at new full tables of round 1; return the new tables."""
    late = list(tournament.entries.filter(state=Entry.State.REGISTERED).order_by("pk"))
    round_one = tournament.rounds.get(no=1)
    drawn = tournament.entries.aggregate(last=Max("draw_no"))["last"] or 0
    no = round_one.round_tables.aggregate(last=Max("no"))["last"] or 0
    opened = []
    while len(late) >= tournament.seats:
        no += 1
        players, late = late[: tournament.seats], late[tournament.seats :]
        table = RoundTable.objects.create(
            round=round_one, no=no, qualify=qualifying_from(len(players), tournament.qualify)
        )
        for entry in players:
            drawn += 1
            entry.draw_no, entry.state, entry.is_late = drawn, Entry.State.PLAYING, True
        Entry.objects.bulk_update(players, ["draw_no", "state", "is_late"])
        Seating.objects.bulk_create(
            Seating(round=round_one, round_table=table, entry=entry) for entry in players
        )
        opened.append(table)
    return opened


def give_back(tournament: LockedTournament, now: datetime) -> None:
    """Release and refund the late entries that did not fill a table."""
    left = tournament.entries.filter(state=Entry.State.REGISTERED)
    late = list(left.select_related("stake", "ticket", "player"))
    for entry in late:
        admission.release(tournament, entry, Entry.State.RELEASED, reason="late")
    notifications.notify_left_out(tournament, late, Notification.Kind.TOURNAMENT_NO_TABLE, now)
