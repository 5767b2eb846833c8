"""Bell and e-mail notifications about cancelled games, void deals and freed seats.

The card table itself is updated by `tables.state.publishing`.
"""

from __future__ import annotations

from datetime import datetime

from django.db.models import Q

from players.accounts.models import User
from players.notifications.models import Notification
from players.notifications.steps import Recipient, notify
from tables.models.deals import Deal
from tables.models.seats import Seat
from tables.models.tables import Table


def notify_of_cancelled_game(table: Table, now: datetime) -> None:
    """Notify every seated player; tournaments send their own notifications."""
    if table.owner_ref:
        return
    # At a points table all players have just left.
    there = table.seats.filter(Q(left_at=None) | Q(left_at=now)).prefetch_related("player")
    reason = table.rulings.filter(kind="cancel").values_list("reason", flat=True).first()
    notify(
        [Recipient(seat.player) for seat in there],
        kind=Notification.Kind.GAME_CANCELLED,
        key=f"cancel:{table.pk}",
        subject=table.name,
        about=table.public_id if table.deal_no else None,  # Without a deal there is no score sheet.
        remark=reason or "",
        now=now,
    )


def notify_of_void_deal(table: Table, deal: Deal, *, reason: str, now: datetime) -> None:
    """Notify every player who was dealt in, with the staff's reason."""
    places = deal.deal_seats.select_related("seat").prefetch_related("seat__player")
    notify(
        [Recipient(place.seat.player) for place in places],
        kind=Notification.Kind.DEAL_VOID,
        key=f"void:{deal.pk}",
        subject=table.name,
        about=table.public_id,
        remark=reason,
        now=now,
    )


def notify_of_seat_given_up(table: Table, seat: Seat, now: datetime) -> None:
    """Notify a player who was away that the seat was freed and the money returned."""
    notify(
        [Recipient(User.objects.get(pk=seat.player_id))],
        kind=Notification.Kind.SEAT_GIVEN_UP,
        key=f"away:{seat.pk}",
        subject=table.name,
        now=now,
    )
