"""Who may view finished deals, with all hands: the game's players, and staff with permission."""

from __future__ import annotations

from django.db.models import Exists, OuterRef, Q, QuerySet

from players.accounts.models import User
from tables.models.deals import Deal, DealSeat
from tables.models.seats import Seat
from tables.models.tables import Table, open_ended

ANY_DEAL = "tables.replay_any_deal"


def games_seen_by(viewer: User) -> QuerySet[Table]:
    """Return the tables whose finished deals a viewer may view.

    Players see tables at which they were dealt in; staff with the permission see all.
    """
    tables = Table.objects.select_related("profile")
    if viewer.has_perm(ANY_DEAL):
        return tables.filter(started_at__isnull=False)
    dealt_in = DealSeat.objects.filter(deal__table=OuterRef("pk"), seat__player=viewer)
    return tables.filter(Exists(dealt_in))


def deals_of(player: User) -> QuerySet[Deal]:
    """Return the finished deals of a player's games.

    At open-ended tables these are only the deals into which the player was dealt.
    """
    return _finished().filter(_own(player))


def deals_seen_by(viewer: User) -> QuerySet[Deal]:
    """Return the finished deals that a viewer may view; staff with the permission see all.

    Players see the deals of their games, at points tables also deals they sat out while seated.
    Deals before they sat down are not shown.
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
    """Return the seat with which a player was dealt in at a table; the latest, if several."""
    dealt_in = DealSeat.objects.filter(seat=OuterRef("pk"))
    return table.seats.of_player(player).filter(Exists(dealt_in)).order_by("-pk").first()
