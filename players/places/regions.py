"""What is offered where, now; and the regions that can be chosen."""

from __future__ import annotations

from typing import Any, Final

from django.db import connection

from core.clock import DatabaseNow
from players.accounts.places import INDIA, STATES_OF_INDIA
from players.places.models import Offer, Region

# An advisory lock: shared by acts until they are committed, alone for a new row.
OFFERS_LOCK: Final = 5312


def region_in_force(country: str, region: str) -> Region | None:
    """Return the row that holds in a place now; None where nobody has said anything.

    A region's row beats its country's, whichever began later.
    """
    if not country:
        return None
    return Region.objects.of_place(country, region).filter(begins_at__lte=DatabaseNow()).first()


def offer_in(country: str, region: str) -> Offer:
    """Return what is offered in a place: play points only unless somebody has said otherwise."""
    found = region_in_force(country, region)
    return Offer(found.offer) if found else Offer.POINTS


def wait_for_acts_everywhere() -> None:
    """Wait until acts that were allowed are committed, and let none be asked before the commit.

    Some milliseconds, once for each change that two people have decided.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, 0)", [OFFERS_LOCK])


def regions() -> list[tuple[str, Any]]:
    """Return the regions that may be chosen: India's, and those of elsewhere with rows."""
    others = Region.objects.exclude(country=INDIA).exclude(region="").order_by("country", "region")
    places = others.values_list("country", "region").distinct()
    return [
        *STATES_OF_INDIA.items(),
        *((region, f"{country}-{region}") for country, region in places),
    ]


def has_regions(country: str) -> bool:
    """Return whether a country is known by its regions: a player there says which one."""
    return country == INDIA or Region.objects.filter(country=country).exclude(region="").exists()


def is_region_of(region: str, country: str) -> bool:
    """Return whether a region lies in a country, as far as this list knows."""
    if country == INDIA:
        return region in STATES_OF_INDIA
    return Region.objects.filter(country=country, region=region).exists()
