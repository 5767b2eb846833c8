"""Noticing that an address disagrees with a player's place, and settling it."""

from __future__ import annotations

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from core import audit_log
from core.clock import database_now
from players.accounts.conflicts_of_interest import refuse_own_interest
from players.accounts.models import User
from players.accounts.region_codes import agrees
from players.eligibility.places import geoip
from players.eligibility.places.doubt_models import PlaceDoubt
from players.eligibility.places.geoip_files import Seen
from players.eligibility.places.regions import is_open_in_part
from players.exceptions import PlaceStillDoubted, ReasonMissing

Kind = PlaceDoubt.Kind


def doubt_about(player: User, address: str) -> tuple[Kind, Seen] | None:
    """Return in what way an address disagrees with the place of an account.

    Without a declared country there is nothing to disagree with, and no play for money. Where the
    file does not know the region of an address, `GEOIP_UNKNOWN_REGION` says what that means.
    """
    if not player.country or not geoip.is_looked_up(address):
        return None
    return _disagreement(player, geoip.seen_at(address))


def _disagreement(player: User, seen: Seen | None) -> tuple[Kind, Seen] | None:
    if seen is not None and seen.is_hidden:
        return Kind.HIDDEN, seen
    if seen is not None and seen.country != player.country:
        return Kind.ELSEWHERE, seen
    if seen is not None and seen.regions:
        is_elsewhere = player.region and not agrees(player.country, player.region, seen.regions)
        return (Kind.ELSEWHERE, seen) if is_elsewhere else None
    return (Kind.UNPLACED, seen or Seen()) if _is_refused_unplaced(player) else None


def _is_refused_unplaced(player: User) -> bool:
    """Return whether a player of unknown region is refused play for money.

    Where it is closed to them anyway, or open in all of their country, their region decides
    nothing. Once staff have settled such a doubt, they have seen where the player lives.
    """
    if settings.GEOIP_UNKNOWN_REGION != "refuse":
        return False
    if not is_open_in_part(player.country, player.region):
        return False
    settled = PlaceDoubt.objects.filter(
        player=player, kind=Kind.UNPLACED, settlement=PlaceDoubt.Settlement.STAFF
    )
    place = {"declared_country": player.country, "declared_region": player.region}
    return not settled.filter(**place).exists()


def notice(player: User, address: str) -> PlaceDoubt | None:
    """Keep a disagreement, once; return the one that stands if the address disagrees."""
    if not player.country or not geoip.is_looked_up(address):
        return None
    seen = geoip.seen_at(address)
    geoip.count_lookup(seen)
    found = _disagreement(player, seen)
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
    # A doubt that the setting raised ends with the setting, from any address that it lets pass.
    is_known = geoip.seen_at(address) is not None or doubt.kind == Kind.UNPLACED
    if not geoip.is_looked_up(address) or not is_known or doubt_about(player, address) is not None:
        raise PlaceStillDoubted(
            _("This connection does not show you where your account says that you live.")
        )
    return _settle(doubt, PlaceDoubt.Settlement.BACK)


@transaction.atomic(durable=True)
def settle_by_staff(*, player_id: int, by: User, reason: str) -> PlaceDoubt | None:
    """Settle a doubt as a member of staff; None if there is none any more.

    The next address that disagrees is a doubt again: a player who has moved gets another place.
    One of unknown region is not: staff have seen where the player lives.

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
