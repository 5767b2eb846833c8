"""Change the offer in a region: one member of staff requests it, another decides."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from core import audit_log, maker_checker
from core.clock import database_now
from core.tasks import enqueue_on_commit
from players.accounts.conflicts_of_interest import refuse_own_interest
from players.accounts.models import User
from players.accounts.places import countries, place_name, region_code
from players.eligibility.places.models import AGE_MIN, Offer, Region, RegionChange
from players.eligibility.places.regions import wait_for_acts_everywhere
from players.exceptions import PlaceUnknown, ReasonMissing


@transaction.atomic(durable=True)
def request_change(
    *,
    country: str,
    region: str,
    offer: Offer,
    begins_at: datetime,
    reason: str,
    by: User,
    age_min: int = AGE_MIN,
    withdrawal_needs_identity: bool = False,
) -> RegionChange:
    """Request another offer in a region from `begins_at`, or from its approval if that is later.

    `region` is an ISO 3166-2 code, current or withdrawn, or a name.

    Codes: `place_unknown`, `reason_missing`, `shared_interest`.
    """
    if country not in dict(countries()):
        raise PlaceUnknown(f"{country!r} is not a country code.")
    code = region_code(country, region)
    if region and not code:
        raise PlaceUnknown(
            f"{place_name(country)} has no region {region!r}: enter an ISO 3166-2 code or a name."
        )
    if not reason.strip():
        raise ReasonMissing("Enter a reason for the second person.")
    change = RegionChange(
        country=country,
        region=code,
        offer=offer,
        age_min=age_min,
        withdrawal_needs_identity=withdrawal_needs_identity,
        begins_at=begins_at,
        reason=reason.strip(),
        made_by=by,
    )
    refuse_own_interest(change, by=by)
    change.save()
    audit_log.record(by=by, act="ask", row=change, reason=reason)
    return change


@transaction.atomic(durable=True)
def approve_change(*, change_id: int, by: User) -> RegionChange:
    """Approve a change that another person requested.

    Actions already in progress are committed before the change takes effect.
    """
    change = _undecided(change_id, RegionChange.Status.APPROVED, by)
    if change.status == RegionChange.Status.APPROVED:
        return change
    wait_for_acts_everywhere()
    region = Region.objects.create(
        country=change.country,
        region=change.region,
        offer=change.offer,
        age_min=change.age_min,
        withdrawal_needs_identity=change.withdrawal_needs_identity,
        begins_at=max(change.begins_at, database_now()),
        reason=change.reason,
        change=change,
    )
    enqueue_on_commit("players.notify_of_place_change", region.pk)
    return maker_checker.decide(change, RegionChange.Status.APPROVED, by=by)


@transaction.atomic(durable=True)
def reject_change(*, change_id: int, by: User) -> RegionChange:
    """Reject a change that another person requested."""
    change = _undecided(change_id, RegionChange.Status.REJECTED, by)
    if change.status == RegionChange.Status.REJECTED:
        return change
    return maker_checker.decide(change, RegionChange.Status.REJECTED, by=by)


def _undecided(change_id: int, wanted: RegionChange.Status, by: User) -> RegionChange:
    rows = RegionChange.objects.locked()
    change: RegionChange = maker_checker.undecided(rows, pk=change_id, wanted=wanted, by=by)
    if change.status != wanted:
        refuse_own_interest(change, by=by)
    return change
