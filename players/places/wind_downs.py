"""When play for money was, or is, being wound down in a place."""

from __future__ import annotations

from datetime import datetime

from django.db.models import Q

from core.clock import DatabaseNow
from players.places.models import Offer, Region


def wind_downs_of(country: str, region: str) -> list[tuple[datetime, datetime | None]]:
    """Return from when to when a place was in wind-down, in order; None: it still is.

    A region's row beats its country's from when the first of the region began.
    """
    rows = Region.objects.filter(
        country=country, region__in={"", region}, begins_at__lte=DatabaseNow()
    )
    found: list[tuple[datetime, datetime | None]] = []
    in_force: dict[str, Region] = {}
    begun: datetime | None = None
    for row in rows.order_by("begins_at", "pk"):
        in_force[row.region] = row
        offer = in_force.get(region, row).offer
        if offer == Offer.WIND_DOWN and begun is None:
            begun = row.begins_at
        elif offer != Offer.WIND_DOWN and begun is not None:
            found.append((begun, row.begins_at))
            begun = None
    return [*found, (begun, None)] if begun else found


def lives_in_wind_down(prefix: str) -> Q:
    """Return the condition that a player, reached by a prefix, lives where it goes on now."""
    latest = Region.objects.filter(begins_at__lte=DatabaseNow())
    rows = latest.order_by("country", "region", "-begins_at", "-pk").distinct("country", "region")
    in_force = {(row.country, row.region): row.offer for row in rows}
    condition = Q(pk__in=[])
    for (country, region), offer in in_force.items():
        if offer != Offer.WIND_DOWN:
            continue
        here = Q(**{f"{prefix}country": country})
        if region:
            condition |= here & Q(**{f"{prefix}region": region})
        else:
            own = [other for land, other in in_force if land == country and other]
            condition |= here & ~Q(**{f"{prefix}region__in": own})
    return condition
