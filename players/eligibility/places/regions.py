"""What is offered in a place now, its wind-downs, and the regions that players can choose."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Final

from django.db import connection
from django.db.models import Q

from core.clock import DatabaseNow
from players.accounts.places import (
    INDIA,
    STATES_OF_INDIA,
    codes_within,
    lineage,
    present_code,
    smallest_regions,
    spellings,
)
from players.eligibility.places.models import Offer, Region

# Advisory lock: shared for players' actions until commit, exclusive for a new region row.
OFFERS_LOCK: Final = 5312


def region_in_force(country: str, region: str) -> Region | None:
    """Return the row in force in a place now; None if no row is configured.

    The row of the smallest region takes precedence over those of larger regions and the country,
    regardless of which began later.
    """
    if not country:
        return None
    return nearest(Region.objects.of_place(country, region).in_force(), country, region)


def offer_in(country: str, region: str) -> Offer:
    """Return what is offered in a place; play points only if no row is configured."""
    found = region_in_force(country, region)
    return Offer(found.offer) if found else Offer.POINTS


def is_open_in_part(country: str, region: str) -> bool:
    """Return whether play for money is allowed in a place but not in all of its country."""
    in_force = Region.objects.filter(country=country).in_force()
    own = nearest(in_force, country, region)
    if own is None or own.offer != Offer.ALLOWED:
        return False
    return "" not in in_force or any(row.offer != Offer.ALLOWED for row in in_force.values())


def nearest(rows: Mapping[str, Region], country: str, region: str) -> Region | None:
    """Return the row that applies to a region; `rows` are those of its country by current code."""
    applying = (rows[code] for code in (*lineage(country, region), "") if code in rows)
    return next(applying, None)


def applies_to(country: str, region: str, rows: Iterable[str], prefix: str = "") -> Q:
    """Return the condition for players to whom the row of a region applies.

    `rows` are the codes of all rows of the country; `prefix` is the lookup of the player, such as
    `"player__"`.
    """
    region = present_code(country, region)
    condition = Q(**{f"{prefix}country": country})
    if region:
        condition &= Q(**{f"{prefix}region__in": codes_within(country, region)})
    nearer = {
        code
        for each in rows
        if each not in ("", region) and (not region or region in lineage(country, each))
        for code in codes_within(country, each)
    }
    return condition & ~Q(**{f"{prefix}region__in": nearer})


def wait_for_acts_everywhere() -> None:
    """Take the exclusive lock: wait until all players' actions are committed, and block new ones.

    It takes some milliseconds, once for each approved change.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, 0)", [OFFERS_LOCK])


def regions() -> list[tuple[str, Any]]:
    """Return the regions that players can choose: India's, and those of other countries with rows.

    A divided region cannot be chosen, only its parts, so that the row of a part cannot be avoided.
    """
    others = Region.objects.exclude(country=INDIA).exclude(region="").order_by("country")
    countries = others.values_list("country", flat=True).distinct()
    return [
        *STATES_OF_INDIA.items(),
        *(
            (code, f"{country}-{code} {name}")
            for country in countries
            for code, name in smallest_regions(country).items()
        ),
    ]


def has_regions(country: str) -> bool:
    """Return whether players in a country must choose a region."""
    return country == INDIA or Region.objects.filter(country=country).exclude(region="").exists()


def has_rows_within(country: str, region: str) -> bool:
    """Return whether a part of a region has a row of its own."""
    parts = codes_within(country, region) - spellings(country, [region]) if region else set()
    return bool(parts) and Region.objects.filter(country=country, region__in=parts).exists()


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
