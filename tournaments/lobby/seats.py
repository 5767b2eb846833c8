"""The tournament table at which a player is to play now."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from django.contrib.auth.models import AnonymousUser

from players.accounts.models import User
from tables.models.seats import Seat


@dataclass(frozen=True, slots=True)
class ReadySeat:
    """A player's seat at a live tournament table."""

    tournament: UUID
    table: UUID
    name: str
    # Absent players are dropped in every deal until they return to the table.
    is_absent: bool


def ready_seat(viewer: User | AnonymousUser | None) -> ReadySeat | None:
    """Return the player's latest seat at a live tournament table, or None; one query."""
    if viewer is None or not viewer.is_authenticated:
        return None
    seat = (
        Seat.objects.active()
        .of_player(viewer)
        .filter(table__round_table__isnull=False, table__finished_at__isnull=True)
        .select_related("table__round_table__round__tournament")
        .order_by("-pk")
        .first()
    )
    if seat is None:
        return None
    tournament = seat.table.round_table.round.tournament
    return ReadySeat(tournament.public_id, seat.table.public_id, seat.table.name, seat.is_absent)
