"""Late entry and re-entry: for some time after the start, entrants fill new tables.

A re-entry is a new entry of a player who was eliminated in round 1 (RB 10.1, 10.6).
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import Max
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from players.accounts.models import User
from players.eligibility.verdicts import stopped
from players.notifications.models import Notification
from tables.models.seats import Elimination, Seat
from tournaments.entries import admission, notifications
from tournaments.entries.models import Entry, RoundTable, Seating
from tournaments.exceptions import NoReentries, NotEliminated, NotRegistered
from tournaments.planning.locks import LockedTournament
from tournaments.planning.models import Tournament
from tournaments.planning.plan import qualifying_from
from wallet.ledger.cash_offered import act_of


def closes_at(tournament: Tournament) -> datetime | None:
    """Return when late entry ends, planned before the start; None without late entry."""
    begins = tournament.started_at or tournament.starts_at
    if not tournament.late_minutes or begins is None:
        return None
    return begins + timedelta(minutes=tournament.late_minutes)


def are_open(tournament: Tournament, now: datetime) -> bool:
    """Return whether late entry is open; it is not if round 1 is the final."""
    end = closes_at(tournament)
    if tournament.state != Tournament.State.RUNNING or end is None or now >= end:
        return False
    return tournament.rounds.filter(no=1, is_final=False, finished_at=None).exists()


def seat_whole_tables(
    tournament: LockedTournament, *, at_least: int | None = None
) -> list[RoundTable]:
    """Seat late entries at new tables of round 1; return the new tables.

    The tables are full; the last one has `at_least` players, by default all seats. Players who may
    no longer play are left out, and refunded later.
    """
    waiting = list(tournament.entries.filter(state=Entry.State.REGISTERED).order_by("pk"))
    away = stopped([entry.player_id for entry in waiting], act_of(tournament.currency))
    late = [entry for entry in waiting if entry.player_id not in away]
    round_one = tournament.rounds.get(no=1)
    drawn = tournament.entries.aggregate(last=Max("draw_no"))["last"] or 0
    no = round_one.round_tables.aggregate(last=Max("no"))["last"] or 0
    opened = []
    while len(late) >= (at_least or tournament.seats):
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


def seat_the_rest(tournament: LockedTournament, now: datetime) -> list[RoundTable]:
    """Seat two or more entries that are left at the end of late entry at one last table.

    Only in tournaments with re-entry, where a player has already paid and played (RB 10.6).
    """
    if are_open(tournament, now) or not tournament.reentries_max:
        return []
    return seat_whole_tables(tournament, at_least=2)


def give_back(tournament: LockedTournament, now: datetime) -> None:
    """Release and refund the late entries that did not fill a table."""
    left = tournament.entries.filter(state=Entry.State.REGISTERED)
    late = list(left.select_related("stake", "ticket", "player"))
    for entry in late:
        admission.release(tournament, entry, Entry.State.RELEASED, reason="late")
    notifications.notify_left_out(tournament, late, Notification.Kind.TOURNAMENT_NO_TABLE, now)


def next_entry(tournament: Tournament, player: User) -> Entry:
    """Return the unsaved re-entry of a player; the caller holds the tournament's lock.

    Codes: `not_registered`, `not_eliminated` while the player's latest entry is in play,
    `no_reentries` if the tournament has none or the player has used them.
    """
    latest = tournament.entries.latest_of(player).first()
    if latest is None:
        raise NotRegistered(_("You are not registered in this tournament."))
    if not is_out(latest):
        raise NotEliminated(_("You are still in the tournament. Re-entry is after elimination."))
    if number_left(tournament, player) < 1:
        most = tournament.reentries_max
        text = ngettext(
            "This tournament allows %(most)s re-entry of each player.",
            "This tournament allows %(most)s re-entries of each player.",
            most,
        )
        raise NoReentries(text % {"most": most})
    return Entry(player=player, state=Entry.State.WAITING, reenters=latest)


def number_left(tournament: Tournament, player: User) -> int:
    """Return how many more re-entries the terms allow the player; withdrawn ones do not count."""
    used = tournament.entries.latest_of(player).filter(reenters__isnull=False).count()
    return max(0, tournament.reentries_max - used)


def is_out(entry: Entry) -> bool:
    """Return whether an entry is out of the tournament, or eliminated at a table in play."""
    if entry.state != Entry.State.PLAYING:
        return entry.state == Entry.State.OUT
    seating = entry.seatings.select_related("round_table__table").order_by("-round__no").first()
    table = None if seating is None else seating.round_table.table
    # Among several players of a last deal the result decides who qualifies all the same.
    if table is None or table.is_over:
        return False
    seats = list(Seat.objects.filter(table=table, player=entry.player_id).values_list("pk"))
    return Elimination.objects.standing().filter(table=table, seat__in=seats[0]).exists()
