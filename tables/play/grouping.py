"""A player's own grouping of the hand: kept for the next look, seen by nobody else."""

from __future__ import annotations

from collections import Counter

import rummy
from tables.dealing.state import fold_of
from tables.exceptions import BadGroups, NotInPlay
from tables.table.deal_models import DealSeat
from tables.table.rules import family_of
from tables.table.seat_models import Seat

TEXT_MAX = 200


def save_groups(*, seat_id: int, groups: str) -> DealSeat:
    """Keep the grouping ("5H 6H 7H | KD KS") of the seat's hand; the table's version stays."""
    seat = Seat.objects.select_related("table__profile").get(pk=seat_id)
    mine = (
        DealSeat.objects.select_related("deal")
        .filter(seat=seat, deal__no=seat.table.deal_no)
        .first()
    )
    if mine is None:
        raise NotInPlay("This seat is not in the deal.")
    text = canonical_groups(groups)
    mine.deal.table = seat.table
    state = fold_of(mine.deal).state
    hand = family_of(seat.table.profile).view(state, mine.position).hand
    if Counter(rummy.parse_cards(text.replace("|", " "))) - Counter(hand):
        raise BadGroups("The grouping names cards that are not in the hand.")
    mine.groups = text
    mine.save(update_fields=["groups"])
    return mine


def canonical_groups(text: str) -> str:
    """Return the grouping in our notation, empty groups left out.

    >>> canonical_groups("5h 6h 10h | | kd")
    '5H 6H TH | KD'
    """
    if len(text) > TEXT_MAX:
        raise BadGroups("The grouping is too long to be one.")
    try:
        groups = [rummy.format_cards(rummy.parse_cards(group)) for group in text.split("|")]
    except rummy.RummyError as error:
        raise BadGroups(str(error)) from error
    return " | ".join(group for group in groups if group)
