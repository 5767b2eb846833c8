"""Wind-down periods of places: when play for money ended in a place."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime

from django.db.models import Q

from core.clock import DatabaseNow
from players.accounts.region_codes import present_code
from players.eligibility.places.models import Offer, Region
from players.eligibility.places.regions import applies_to, nearest


def wind_downs_of(country: str, region: str) -> list[tuple[datetime, datetime | None]]:
    """Return start and end of each wind-down of a place, in order; an end of None: still running.

    A region's rows take precedence over its country's from the begin of the first one.
    """
    rows = Region.objects.of_place(country, region).filter(begins_at__lte=DatabaseNow())
    found: list[tuple[datetime, datetime | None]] = []
    in_force: dict[str, Region] = {}
    begun: datetime | None = None
    for row in rows.order_by("begins_at", "pk"):
        in_force[present_code(country, row.region)] = row
        offer = (nearest(in_force, country, region) or row).offer
        if offer == Offer.WIND_DOWN and begun is None:
            begun = row.begins_at
        elif offer != Offer.WIND_DOWN and begun is not None:
            found.append((begun, row.begins_at))
            begun = None
    return [*found, (begun, None)] if begun else found


def lives_in_wind_down(prefix: str) -> Q:
    """Return the condition for players in places in wind-down; `prefix` as in `applies_to`."""
    rows = Region.objects.filter(begins_at__lte=DatabaseNow()).order_by("begins_at", "pk")
    in_force: dict[str, dict[str, Region]] = defaultdict(dict)
    for row in rows:
        in_force[row.country][present_code(row.country, row.region)] = row
    condition = Q(pk__in=[])
    for country, held in in_force.items():
        for region, row in held.items():
            if row.offer == Offer.WIND_DOWN:
                condition |= applies_to(country, region, held, prefix)
    return condition
