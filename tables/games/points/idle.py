"""Seats that are not dealt in: when seats sit out, and how long they are kept (RB 8.1)."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from django.db.models import OuterRef, Q, Subquery

from tables.games.points import cashing_out
from tables.games.stacks import funded_seats
from tables.models.deals import Deal, Move
from tables.models.seats import Score, Seat
from tables.models.tables import Table
from tables.responsible.verdicts import stopped_seats
from tables.seats import walking_out
from tables.settlement import notifications
from tables.state import phases
from tables.state.locks import LockedTable

# How many deals a seat that sits out is kept (RB 8.1), and how long if no deal is played.
DEALS_KEPT: Final = 3
WAITING_KEPT: Final = timedelta(minutes=3)


def sit_out_the_short(table: LockedTable, now: datetime) -> None:
    """Sit out players whose stack is too small for another deal, until they top up (RB 8.1)."""
    able = {seat.pk for seat in funded_seats(table)}
    here = table.seats.present().filter(sits_out_since__isnull=True).exclude(pk__in=able)
    here.update(sits_out_since=now)


def sit_out_the_absent(table: LockedTable, deal: Deal, now: datetime) -> None:
    """Sit out players whose deal ended by timeout: an absent player's stack is not played on."""
    last_move = deal.moves.filter(seat=OuterRef("pk")).order_by("-ply").values("origin")[:1]
    dropped = [Score.How.FIRST_DROP, Score.How.MIDDLE_DROP]
    absent = (
        table.seats.present()
        .filter(sits_out_since__isnull=True, scores__deal=deal, scores__how__in=dropped)
        .annotate(last_origin=Subquery(last_move))
        .filter(last_origin=Move.Origin.CLOCK)
    )
    pks = list(absent.values_list("pk", flat=True))
    Seat.objects.filter(pk__in=pks).update(sits_out_since=now)


def give_up_idle(table: LockedTable, now: datetime) -> None:
    """Free seats that have been kept long enough (RB 8.1)."""
    too_long = Q(deals_missed__gte=DEALS_KEPT)
    if table.phase == Table.Phase.WAITING:
        too_long |= Q(sits_out_since__lte=now - WAITING_KEPT)
    idle = table.seats.present().filter(too_long, sits_out_since__isnull=False)
    for seat in idle.prefetch_related("player").order_by("pk"):
        walking_out.mark_left(table, seat, now)
        cashing_out.pay_out(table, seat)


def give_up_stopped(table: LockedTable, now: datetime) -> None:
    """Free the seats of players who may no longer play; their last deal is settled."""
    for seat in stopped_seats(table):
        walking_out.mark_left(table, seat, now)
        cashing_out.pay_out(table, seat)
        notifications.notify_of_seat_given_up(table, seat, now)


def await_idle(table: LockedTable, now: datetime) -> None:
    """Arm the clock for the seat that has sat out longest, if any."""
    idle = table.seats.present().filter(sits_out_since__isnull=False).order_by("sits_out_since")
    since = idle.values_list("sits_out_since", flat=True).first()
    phases.disarm(table)
    if since is not None:
        left = since + WAITING_KEPT - now
        phases.arm(table, max(0.0, left.total_seconds()), now)
