"""Noticing that an address disagrees with a player's place, and settling it."""

from __future__ import annotations

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from core import audit_log
from core.clock import database_now
from players.accounts.conflicts_of_interest import refuse_own_interest
from players.accounts.models import User
from players.exceptions import PlaceStillDoubted, ReasonMissing
from players.places.doubt_models import PlaceDoubt
from players.places.geoip import Seen, seen_at

Kind = PlaceDoubt.Kind


def doubt_about(player: User, address: str) -> tuple[Kind, Seen] | None:
    """Return in what way an address disagrees with the place of an account.

    An address that the file does not know disagrees with nothing, nor does one whose region it
    does not know with a region. Without a declared country there is nothing to disagree with, and
    no play for money.
    """
    seen = seen_at(address) if player.country else None
    if seen is None:
        return None
    if seen.is_hidden:
        return Kind.HIDDEN, seen
    is_elsewhere = seen.country != player.country or (
        seen.region and player.region and seen.region != player.region
    )
    return (Kind.ELSEWHERE, seen) if is_elsewhere else None


def notice(player: User, address: str) -> PlaceDoubt | None:
    """Keep a disagreement, once; return the one that stands if the address disagrees."""
    found = doubt_about(player, address)
    if found is None:
        return None
    standing = standing_doubt(player)
    if standing is not None:
        return standing
    kind, seen = found
    try:
        with transaction.atomic():
            return PlaceDoubt.objects.create(
                player=player,
                kind=kind,
                declared_country=player.country,
                declared_region=player.region,
                seen_country=seen.country,
                seen_region=seen.region,
                noticed_at=database_now(),
            )
    except IntegrityError:  # Noticed at once by another request.
        return standing_doubt(player)


def standing_doubt(player: User) -> PlaceDoubt | None:
    return PlaceDoubt.objects.standing().filter(player=player).first()


@transaction.atomic(durable=True)
def settle_by_address(*, player_id: int, address: str) -> PlaceDoubt | None:
    """Settle a doubt from an address in the place that the account says; None if there is none.

    Codes: `place_still_doubted`.
    """
    doubt = PlaceDoubt.objects.standing().filter(player=player_id).locked().first()
    if doubt is None:
        return None
    player = User.objects.get(pk=player_id)
    if seen_at(address) is None or doubt_about(player, address) is not None:
        raise PlaceStillDoubted(
            _("This connection does not show you where your account says that you live.")
        )
    return _settle(doubt, PlaceDoubt.Settlement.BACK)


@transaction.atomic(durable=True)
def settle_by_staff(*, player_id: int, by: User, reason: str) -> PlaceDoubt | None:
    """Settle a doubt as a member of staff; None if there is none any more.

    The next address that disagrees is a doubt again: who has moved gets another place.

    Codes: `shared_interest`, `reason_missing`.
    """
    player = User.objects.get(pk=player_id)
    refuse_own_interest(player, by=by)
    if not reason.strip():
        raise ReasonMissing("A reason is required.")
    doubt = PlaceDoubt.objects.standing().filter(player=player).locked().first()
    if doubt is None:
        return None
    before = audit_log.facts(doubt)
    doubt.settled_by, doubt.reason = by, reason.strip()[:200]
    settled = _settle(doubt, PlaceDoubt.Settlement.STAFF)
    audit_log.record(by=by, act="settle", row=doubt, before=before, about=player, reason=reason)
    return settled


def _settle(doubt: PlaceDoubt, settlement: PlaceDoubt.Settlement) -> PlaceDoubt:
    doubt.settlement, doubt.settled_at = settlement, database_now()
    doubt.save(update_fields=["settlement", "settled_at", "settled_by", "reason"])
    return doubt
