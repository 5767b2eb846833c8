"""Regions with cash play, created without the two people that a change needs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from players.eligibility.places.models import Offer, Region
from players.eligibility.places.regions import offer_in
from tests.builders.processes.logins import as_owner

# The same time as the release's own rows; of two rows the later one is in force.
LONG_AGO = datetime(2025, 8, 22, tzinfo=UTC)


def open_region(place: str, offer: Offer = Offer.ALLOWED, **terms: Any) -> None:
    """Set the offer in a place from long ago: `open_region("IN-KA")`.

    As the owner, as migrations do: the application adds only what two members of staff agreed on.
    """
    country, _, region = place.partition("-")
    fields = {"offer": offer, "begins_at": LONG_AGO, "reason": "A test"}
    with as_owner():
        Region.objects.create(country=country, region=region, **fields | terms)


def close_region(place: str) -> None:
    """Offer only play points in a place."""
    open_region(place, Offer.POINTS)


@contextmanager
def region_open(place: str) -> Iterator[None]:
    """Offer cash play in a place during the block."""
    country, _, region = place.partition("-")
    before = offer_in(country, region)
    if before == Offer.ALLOWED:
        yield
        return
    open_region(place)
    yield
    open_region(place, before)
