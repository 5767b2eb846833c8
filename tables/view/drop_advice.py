"""The coach's sentence about a dealt hand: its mean cost if played on, beside the first drop."""

from __future__ import annotations

from dataclasses import fields
from functools import lru_cache
from typing import Any

from django.utils.translation import gettext as _

import rummy
from rummy.bots.drops import mean_cost


def drop_advice(seen: rummy.AnyView) -> str:
    """Return what hands like the viewer's cost if they are played on, and what a drop costs.

    It is empty where no first drop is possible, and for hands that are not measured.
    """
    if not isinstance(seen, rummy.View) or seen.position is None:
        return ""
    rules, own = seen.rules, seen.seats[seen.position - 1]
    if not rules.drops_allowed or own.has_drawn or own.standing != "active" or not seen.hand:
        return ""
    cost = mean_cost(seen, _known_name(rules))
    if cost is None:
        return ""
    points = {"points": round(abs(cost)), "drop": rules.first_drop}
    if cost < 0:
        return _("Hands like this win %(points)s on average; dropping costs %(drop)s.") % points
    return _("Hands like this cost %(points)s on average; dropping costs %(drop)s.") % points


@lru_cache(maxsize=64)
def _known_name(rules: rummy.Rules) -> str:
    """Return the name of the profile that has the same rules of play; the own name if none has."""
    for known in rummy.PROFILES.values():
        if _of_play(known) == _of_play(rules):
            return known.name
    return rules.name


def _of_play(rules: rummy.Rules) -> list[Any]:
    """Return the rules without their name and the lengths of turns and pauses."""
    names = [field.name for field in fields(rules) if not field.name.endswith("_seconds")]
    return [getattr(rules, name) for name in names if name not in {"name", "version"}]
