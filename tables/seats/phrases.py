"""Players' phrases at a table: sent over the sockets at once, and in views for some seconds."""

from __future__ import annotations

from core.clock import database_now
from tables.models.seats import Seat
from tables.state.publishing import broadcast_phrase
from tables.view.phrases import Phrase


def say(seat: Seat, phrase: Phrase) -> None:
    """Save the phrase as the seat's last one, and send it to the table's subscribers."""
    now = database_now()
    Seat.objects.filter(pk=seat.pk).update(said=phrase, said_at=now)
    table_id, handle = seat.table.public_id, seat.player.handle
    broadcast_phrase(table_id, handle=handle, phrase=phrase, at=now.isoformat())
