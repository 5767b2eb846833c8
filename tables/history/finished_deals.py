"""Who may look into finished deals, where all hands lie open: its game's players, and staff."""

from __future__ import annotations

from django.db.models import Exists, OuterRef, Q, QuerySet

from players.accounts.models import User
from tables.models.deals import Deal, DealSeat
from tables.models.seats import Seat
from tables.models.tables import Table, open_ended

ANY_DEAL = "tables.replay_any_deal"


def games_seen_by(viewer: User) -> QuerySet[Table]:
    """Return the tables whose finished deals a viewer may look into.

    Players see the tables they were dealt in at, and staff with the permission see all.
    """
    tables = Table.objects.select_related("profile")
    if viewer.has_perm(ANY_DEAL):
        return tables.filter(started_at__isnull=False)
    dealt_in = DealSeat.objects.filter(deal__table=OuterRef("pk"), seat__player=viewer)
    return tables.filter(Exists(dealt_in))


def deals_of(player: User) -> QuerySet[Deal]:
    """Return the finished deals of a player's games.

    Where people come and go it is only the deals they were dealt in themselves.
    """
    return _finished().filter(_own(player))


def deals_seen_by(viewer: User) -> QuerySet[Deal]:
    """Return the finished deals a viewer may look into; some of staff see all.

    Players see those of their games, and at points tables also the deals that they were not dealt
    in for while they held a seat. Deals before they sat down stay closed.
    """
    if viewer.has_perm(ANY_DEAL):
        return _finished()
    seats = Seat.objects.of_player(viewer).filter(
        Q(left_at__isnull=True) | Q(left_at__gt=OuterRef("started_at")),
        table=OuterRef("table"),
        joined_at__lt=OuterRef("reveal__revealed_at"),
    )
    return _finished().filter(_own(viewer) | Exists(seats))


def _own(player: User) -> Q:
    mine = DealSeat.objects.filter(seat__player=player)
    in_this_deal = Exists(mine.filter(deal=OuterRef("pk")))
    in_this_game = Exists(mine.filter(deal__table=OuterRef("table")))
    return Q(in_this_deal) | (Q(in_this_game) & ~open_ended("table__"))


def _finished() -> QuerySet[Deal]:
    return Deal.objects.revealed().select_related("table__profile", "reveal")


def own_seat_of(player: User, table: Table) -> Seat | None:
    """Return the seat a player was dealt in with at a table, the latest if they sat down again."""
    dealt_in = DealSeat.objects.filter(seat=OuterRef("pk"))
    return table.seats.of_player(player).filter(Exists(dealt_in)).order_by("-pk").first()
