"""Changes of what is offered in a region, by two members of staff."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.utils import timezone

from players.accounts.models import User
from players.eligibility.places import region_changes
from players.eligibility.places.models import Offer, Region, RegionChange
from tests.builders.staff.people import clerk


def request_change(
    place: str,
    offer: Offer = Offer.ALLOWED,
    *,
    by: User | None = None,
    begins_in: timedelta = timedelta(0),
    **terms: Any,
) -> RegionChange:
    """Request a change of the offer in a place, to be approved: `request_change("IN-KA")`."""
    country, _, region = place.partition("-")
    return region_changes.request_change(
        country=country,
        region=region,
        offer=offer,
        begins_at=timezone.now() + begins_in,
        by=by or clerk(),
        **{"reason": "A new Act"} | terms,
    )


def change_region(place: str, offer: Offer = Offer.ALLOWED, **terms: Any) -> Region:
    """Request a change of the offer in a place and approve it; return the new row."""
    change = request_change(place, offer, **terms)
    region_changes.approve_change(change_id=change.pk, by=clerk())
    return Region.objects.get(change=change)
