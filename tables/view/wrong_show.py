"""The faults of a wrong show (RB 3.3)."""

from __future__ import annotations

from typing import Final

from django.utils.translation import gettext_lazy as _

import rummy
from tables.models.seats import Score, Seat
from tables.state.fold import fold_of
from tables.view.context import ViewContext
from tables.view.schemas import WrongShow

# Faults of a group or a show (RB 3.3).
REASONS: Final = {
    "too_short": _("too few cards"),
    "too_long": _("too many cards"),
    "mixed_suits": _("mixed suits"),
    "mixed_ranks": _("mixed ranks"),
    "not_consecutive": _("not a sequence"),
    "duplicate_suit_in_set": _("duplicate suit in a set"),
    "too_many_jokers": _("too many jokers"),
    "no_natural_card": _("no natural card"),
    "no_pure_sequence": _("no pure sequence"),
    "one_sequence_only": _("only one sequence"),
    "no_sequence_of_four": _("no sequence of four"),
    "ungrouped_cards": _("ungrouped cards"),
    "wrong_number_of_cards": _("wrong number of cards"),
    "not_your_cards": _("cards that are not in your hand"),
}


def wrong_show_of_last_deal(context: ViewContext, mine: Seat) -> WrongShow | None:
    """Return the faults of the seat's show in the deal just scored, or None.

    It is part of the results: once the next deal is dealt there is none.
    """
    last = context.scores[-1].deal_id if context.scores and context.deal is None else None
    rows = (each for each in context.scores if (each.deal_id, each.seat_id) == (last, mine.pk))
    score = next(rows, None)
    if score is None or score.how != Score.How.WRONG_SHOW:
        return None
    deal = score.deal
    deal.table = context.table
    places = ((place.deal_id, place.seat_id, place.position) for place in context.places)
    position = next(at for deal_id, seat_id, at in places if (deal_id, seat_id) == (last, mine.pk))
    view = context.family.view(fold_of(deal).state, position)
    return wrong_show(context, view.seats[position - 1])


def wrong_show(context: ViewContext, here: rummy.AnySeatView) -> WrongShow | None:
    """Return the faults of this seat's show, or None if it made no wrong one."""
    codes = context.game.why_wrong(here)
    if not codes:
        return None
    text = ", ".join(str(REASONS[code]) for code in codes)
    return WrongShow(list(codes), text[:1].upper() + text[1:], context.figures.cap)
