"""Cards that clients request separately from a view: the open pile, and help with the hand."""

from __future__ import annotations

from dataclasses import dataclass, replace

import rummy
from tables.exceptions import NoHelp, NotInPlay
from tables.games import game_of
from tables.games.cards import BestHand
from tables.models.deals import Deal
from tables.models.seats import Seat
from tables.models.tables import Table
from tables.state.fold import fold_of
from tables.state.rules import family_of
from tables.state.snapshot import IN_PLAY
from tables.view.context import DEAL_LIES_OPEN
from tables.view.drop_advice import drop_advice


@dataclass(frozen=True, slots=True)
class ThrownCard:
    """A card of the open pile; `by` is a handle, null for the card turned up at the deal."""

    card: str
    by: str | None


@dataclass(frozen=True, slots=True)
class OpenPile:
    """The open pile at a version, top card last; empty between deals."""

    version: int
    cards: list[ThrownCard]


def open_pile(table: Table) -> OpenPile:
    """Return the table's open pile, which is public."""
    deals = Deal.objects.filter(table=table, no=table.deal_no).select_related("table__profile")
    deal = deals.first() if table.phase in DEAL_LIES_OPEN else None
    if deal is None:
        return OpenPile(table.version, [])
    made = list(deal.moves.order_by("ply").values_list("text", "version"))
    version = made[-1][1] if made else table.version
    pile = fold_of(deal, version=version).state.pile
    moves = [rummy.parse_move(text) for text, _version in made]
    throwers = family_of(deal.table.profile).thrown_by(moves, cards=len(pile))
    places = deal.deal_seats.values_list("position", "seat__player__handle")
    handles: dict[int | None, str] = dict(places)
    thrown = [
        ThrownCard(str(card), handles.get(by)) for card, by in zip(pile, throwers, strict=True)
    ]
    return OpenPile(version, thrown)


def best_hand(seat: Seat) -> BestHand:
    """Return the cheapest arrangement of the seat's hand (RB 4), or a valid show if it has one.

    Raise `NoHelp` outside practice tables, `NotInPlay` for a seat without cards.
    """
    table = seat.table
    if not table.bots_fill:
        raise NoHelp("Help with the cards is available at practice tables only.")
    if table.phase not in IN_PLAY:
        raise NotInPlay("No deal is being played at this table.")
    place = seat.deal_seats.filter(deal__no=table.deal_no).select_related("deal").first()
    if place is None:
        raise NotInPlay("You are not in this deal.")
    place.deal.table = table
    seen = family_of(table.profile).view(fold_of(place.deal).state, place.position)
    if not seen.hand or not seen.seats[place.position - 1].cards:  # Dropped, or shown wrongly.
        raise NotInPlay("You have no cards.")
    return replace(game_of(table).best_hand(seen), advice=drop_advice(seen))
