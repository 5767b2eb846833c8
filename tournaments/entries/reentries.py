"""Re-entry: a new entry of a player who was eliminated in round 1 (RB 10.6)."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from players.accounts.models import User
from tables.models.seats import Elimination, Seat
from tournaments.entries.models import Entry
from tournaments.exceptions import NoReentries, NotEliminated, NotRegistered
from tournaments.planning.models import Tournament


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
