"""What decides the cost of a hand, and why a show did not stand (RB 2 to 4)."""

from __future__ import annotations

from dataclasses import fields
from functools import lru_cache
from typing import Final

from django.utils.translation import gettext_lazy as _

import rummy
from tables.view.context import ViewContext
from tables.view.schemas import GroupRules, WrongShow

# Why a group or a show was refused (RB 3.3).
REASONS: Final = {
    "too_short": _("too few cards"),
    "too_long": _("too many cards"),
    "mixed_suits": _("suits are mixed"),
    "mixed_ranks": _("ranks are mixed"),
    "not_consecutive": _("not consecutive"),
    "duplicate_suit_in_set": _("a suit twice in a set"),
    "too_many_jokers": _("too many jokers"),
    "no_natural_card": _("no natural card"),
    "no_pure_sequence": _("no pure sequence"),
    "one_sequence_only": _("only one sequence"),
    "no_sequence_of_four": _("no sequence of four"),
    "ungrouped_cards": _("cards outside any group"),
    "wrong_number_of_cards": _("not thirteen cards"),
    "not_your_cards": _("cards not held"),
}


@lru_cache(maxsize=256)
def group_rules(rules: rummy.Rules) -> GroupRules | None:
    """Return the rules of groups, or None where no groups are shown at the end of a deal."""
    if rules.family != "thirteen":
        return None
    return GroupRules(**{field.name: getattr(rules, field.name) for field in fields(GroupRules)})


def wrong_show(context: ViewContext, here: rummy.SeatView) -> WrongShow | None:
    """Return why this seat's own show did not stand, or None if it made no wrong one."""
    if here.standing != "wrong_show":
        return None
    reasons = [str(REASONS[code]) for code in here.reasons]
    text = ", ".join(reasons)
    return WrongShow(list(here.reasons), text[:1].upper() + text[1:], context.rules.cap)
