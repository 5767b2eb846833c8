"""Players' own contributions to the randomness of a deal, before it is dealt (RB 12.1)."""

from __future__ import annotations

from datetime import datetime

from django.utils.translation import gettext as _

from tables.exceptions import BadClientSeed, ClientSeedGiven, ClientSeedLate, NotInPlay
from tables.history.fairness.models import ClientSeed
from tables.models.addresses import table_of_seat
from tables.models.seats import Seat
from tables.state.clock import caught_up
from tables.state.locks import LockedTable, snapshot_of
from tables.state.publishing import publish


def give_client_seed(*, seat_id: int, text: str) -> ClientSeed:
    """Add the seat's own text to the shuffle of the deal that is committed to but not dealt.

    One per seat and deal; repeating the same text returns the first one. Codes:
    `bad_client_seed`, `client_seed_late`, `client_seed_given`, `not_in_play`.
    """
    refuse_unreadable(text)
    with caught_up(table_of_seat(seat_id)) as table:
        seat = snapshot_of(table).present_seat(seat_id)
        if seat is None or table.is_over:
            raise NotInPlay(_("Only players in this game can add a seed."))
        given = add(table, seat, text, snapshot_of(table).now)
        publish(table)
        return given


def refuse_unreadable(text: str) -> None:
    """Raise `BadClientSeed` unless the text can go into a random stream and a history file."""
    if not 0 < len(text) <= ClientSeed.LONGEST or not text.isprintable():
        raise BadClientSeed(f"Enter a seed of 1 to {ClientSeed.LONGEST} printable characters.")


def add(table: LockedTable, seat: Seat, text: str, now: datetime) -> ClientSeed:
    """Add the seed to the next deal; the caller publishes.

    Raise `ClientSeedLate` if no deal is committed to, as while cards are played: the commitment
    must precede every client seed.
    """
    snapshot = snapshot_of(table)
    deal = snapshot.coming
    if deal is None:
        raise ClientSeedLate(_("The cards are already dealt. Add a seed before the next deal."))
    if seat.pk in snapshot.client_seeds:
        if snapshot.client_seeds[seat.pk] != text:
            raise ClientSeedGiven(_("You have already given a seed for this deal."))
        return ClientSeed.objects.get(deal=deal, seat=seat)
    snapshot.client_seeds = dict(sorted({**snapshot.client_seeds, seat.pk: text}.items()))
    given = ClientSeed.objects.create(table=table, deal=deal, seat=seat, text=text, given_at=now)
    table.version += 1
    return given
