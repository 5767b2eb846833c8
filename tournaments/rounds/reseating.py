"""Seats at table after table, for kinds whose only round lasts a fixed time (RB 10.10).

All changes are made under the tournament's lock. `Seating.left_at` increases strictly from step to
step, so the order in which entries became free can be repeated from the rows.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, TypedDict, cast

from django.db import transaction
from django.db.models import Exists, Max, OuterRef, QuerySet

from core.clock import database_now
from tables.models.deals import Move
from tables.models.seats import Seat
from tournaments.entries.models import Entry, Round, Seating
from tournaments.kinds import KINDS
from tournaments.kinds.race import FULL_TABLE_WAIT, tables_of_waiting
from tournaments.planning import timing
from tournaments.planning.locks import lock_if_free
from tournaments.planning.models import Tournament, TournamentQuerySet
from tournaments.rounds import rounds

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations

    Free = WithAnnotations[Entry, "FreeSince"]


class FreeSince(TypedDict):
    free_at: datetime


def tournaments_to_reseat() -> TournamentQuerySet:
    """Return the running tournaments whose entries are seated again until the time is over."""
    names = [name for name, kind in KINDS.items() if kind.reseats]
    return Tournament.objects.filter(state=Tournament.State.RUNNING, kind__in=names)


@transaction.atomic(durable=True)
def reseat(*, tournament_id: int, now: datetime) -> None:
    """Free the players who have dropped, and seat those who are free, until the time is over."""
    tournament = lock_if_free(tournaments_to_reseat().filter(pk=tournament_id))
    if tournament is None:
        return
    this = tournament.rounds.get(no=tournament.round_no)
    changed = _free_those_who_dropped(this)
    if not rounds.is_time_over(tournament, this, now):
        changed |= _seat_the_free(tournament, this, now)
    if changed:
        timing.save(tournament)


def free_entries(tournament: Tournament, this: Round) -> QuerySet[Free]:
    """Return the entries without a table that may be seated again, first those free for longest."""
    seatings = Seating.objects.filter(round=this, entry=OuterRef("pk"))
    free = tournament.entries.filter(
        ~Exists(seatings.filter(left_at=None)),
        ~Exists(seatings.filter(qualified=False)),
        draw_no__isnull=False,
        is_removed=False,
    )
    since = free.annotate(free_at=Max("seatings__left_at")).select_related("player")
    return cast("QuerySet[Free]", since.order_by("free_at", "draw_no"))


def _free_those_who_dropped(this: Round) -> bool:
    """Set the departures of players who have dropped; absent players stay until the deal's end."""
    seated = this.seatings.filter(left_at=None, round_table__table__isnull=False)
    by_table = {
        (table, player): pk
        for pk, table, player in seated.values_list("pk", "round_table__table", "entry__player")
    }
    tables = {table for table, _ in by_table}
    # The day only limits which partitions are read; a round may start ahead of the database's day.
    since = (this.started_at - timedelta(days=1)).date()
    drops = Move.objects.filter(table__in=tables, dealt_on__gte=since, text__endswith=" drop")
    there = Seat.objects.filter(
        table__in=tables, pk__in=drops.values_list("seat", flat=True), is_absent=False
    )
    at = there.filter(left_at=None).values_list("table", "player")
    gone = [by_table[place] for place in at if place in by_table]
    if gone:
        Seating.objects.filter(pk__in=gone).update(
            left_at=this.seatings.next_departure(database_now())
        )
    return bool(gone)


def _seat_the_free(tournament: Tournament, this: Round, now: datetime) -> bool:
    waiting = list(free_entries(tournament, this))
    if not waiting:
        return False
    others_play = this.seatings.filter(left_at=None).exists()
    has_waited = waiting[0].free_at + FULL_TABLE_WAIT <= now
    tables = tables_of_waiting(waiting, tournament.seats, takes_fewer=has_waited or not others_play)
    last = this.round_tables.order_by("-no").values_list("no", flat=True).first() or 0
    rounds.seat_at_tables(this, tables, first_no=last + 1)
    return bool(tables)
