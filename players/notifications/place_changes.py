"""Notify players when less is offered where they live (RB 11.6)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction
from django.db.models import QuerySet

from players.accounts.models import User
from players.accounts.places import place_name
from players.eligibility.places.models import Offer, Region
from players.eligibility.places.regions import applies_to, nearest
from players.notifications.models import Notification
from players.notifications.steps import BATCH_SIZE, Recipient, notify

KIND_OF: Final = {
    Offer.POINTS: Notification.Kind.PLACE_POINTS_ONLY,
    Offer.WIND_DOWN: Notification.Kind.PLACE_WINDS_DOWN,
    Offer.PROHIBITED: Notification.Kind.PLACE_PROHIBITED,
}
# How long a change is retried, in case the message to the worker was lost.
LOOKED_AT_FOR: Final = timedelta(days=2)


def notify_of_recent_changes(*, now: datetime) -> None:
    """Notify players of the changes of the last days, once for each change."""
    recent = Region.objects.filter(change__isnull=False, added_at__gte=now - LOOKED_AT_FOR)
    for region in recent.order_by("pk"):
        notify_of_change(region=region, now=now)


def notify_of_change(*, region: Region, now: datetime) -> None:
    """Notify all players in the region of the new offer and its start, if less is offered.

    It can be repeated: the notification key contains the change.
    """
    kind = KIND_OF.get(Offer(region.offer))
    if kind is None or region.offer == _offer_before(region):
        return
    for people in _batches(_players_in(region)):
        with transaction.atomic():
            notify(
                [Recipient(player) for player in people],
                kind=kind,
                key=f"place:{region.pk}",
                subject=place_name(region.country, region.region),
                happens_at=region.begins_at,
                now=now,
            )


def _offer_before(region: Region) -> str:
    others = Region.objects.of_place(region.country, region.region).exclude(pk=region.pk)
    before = nearest(others.in_force(region.begins_at), region.country, region.region)
    return before.offer if before else Offer.POINTS


def _players_in(region: Region) -> QuerySet[User]:
    """Return the active players to whom a row applies: no smaller region of theirs has a row."""
    rows = Region.objects.filter(country=region.country).in_force(region.begins_at)
    people = User.objects.filter(is_active=True, is_guest=False, is_bot=False)
    return people.filter(applies_to(region.country, region.region, rows))


def _batches(players: QuerySet[User]) -> Iterator[list[User]]:
    last = 0
    while batch := list(players.filter(pk__gt=last).order_by("pk")[:BATCH_SIZE]):
        yield batch
        last = batch[-1].pk
