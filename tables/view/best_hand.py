"""The best arrangement of a hand, shown only to its owner and only at practice tables."""

from __future__ import annotations

from tables.exceptions import NoHelp, NotInPlay
from tables.games import game_of
from tables.games.cards import BestHand
from tables.models.seats import Seat
from tables.models.tables import Table
from tables.state.fold import fold_of
from tables.state.rules import family_of


def best_hand(seat: Seat) -> BestHand:
    """Return the cheapest arrangement of the seat's hand (RB 4), or a valid show if it has one.

    Raise `NoHelp` outside practice tables, `NotInPlay` for a seat without cards.
    """
    table = seat.table
    if not table.bots_fill:
        raise NoHelp("Help with the cards is available at practice tables only.")
    if table.phase not in (Table.Phase.PLAYING, Table.Phase.SHOWING):
        raise NotInPlay("No deal is being played at this table.")
    place = seat.deal_seats.filter(deal__no=table.deal_no).select_related("deal").first()
    if place is None:
        raise NotInPlay("You are not in this deal.")
    place.deal.table = table
    seen = family_of(table.profile).view(fold_of(place.deal).state, place.position)
    if not seen.hand or not seen.seats[place.position - 1].cards:  # Dropped, or shown wrongly.
        raise NotInPlay("You have no cards.")
    return game_of(table).best_hand(seen)
