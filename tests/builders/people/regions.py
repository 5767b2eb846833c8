"""Regions where cash may be played for, without the two people it takes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from players.eligibility.places.models import Offer, Region
from players.eligibility.places.regions import offer_in
from tests.builders.processes.logins import as_owner

# As early as what the release itself says; the later row of the two holds.
LONG_AGO = datetime(2025, 8, 22, tzinfo=UTC)


def open_region(place: str, offer: Offer = Offer.ALLOWED, **terms: Any) -> None:
    """Let something be offered in a place from long ago: `open_region("IN-KA")`.

    As the owner, as migrations do: the application adds only what two members of staff agreed on.
    """
    country, _, region = place.partition("-")
    fields = {"offer": offer, "begins_at": LONG_AGO, "reason": "A test"}
    with as_owner():
        Region.objects.create(country=country, region=region, **fields | terms)


def close_region(place: str) -> None:
    """Let play points alone be offered in a place."""
    open_region(place, Offer.POINTS)


@contextmanager
def region_open(place: str) -> Iterator[None]:
    """Let cash be played for in a place meanwhile."""
    country, _, region = place.partition("-")
    before = offer_in(country, region)
    if before == Offer.ALLOWED:
        yield
        return
    open_region(place)
    yield
    open_region(place, before)
