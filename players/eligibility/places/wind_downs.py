"""When play for money was, or is, being wound down in a place."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime

from django.db.models import Q

from core.clock import DatabaseNow
from players.accounts.region_codes import present_code
from players.eligibility.places.models import Offer, Region
from players.eligibility.places.regions import applies_to, nearest


def wind_downs_of(country: str, region: str) -> list[tuple[datetime, datetime | None]]:
    """Return from when to when a place was in wind-down, in order; None: it still is.

    A region's row beats its country's from when the first of the region began.
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
    """Return the condition that a player, reached by a prefix, lives where it goes on now."""
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
