"""A player's place: set once by the player, and doubted if the IP address has another one.

Staff correct a place, and settle doubts that the player's connection does not.
"""

from __future__ import annotations

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from core import audit_log
from core.clock import database_now
from players.accounts.conflicts_of_interest import refuse_own_interest, require_reason
from players.accounts.models import User
from players.accounts.places import agrees, countries, present_code, region_code
from players.eligibility.places import geoip
from players.eligibility.places.geoip_files import Seen
from players.eligibility.places.models import PlaceDoubt
from players.eligibility.places.regions import has_regions, has_rows_within, is_open_in_part
from players.exceptions import PlaceGiven, PlaceStillDoubted, PlaceUnknown

Kind = PlaceDoubt.Kind


def doubt_about(player: User, address: str) -> tuple[Kind, Seen] | None:
    """Return how an IP address disagrees with the account's place; None if it does not.

    An account without a country has no mismatch, and cannot play for money. If the region of an
    address is unknown, `GEOIP_UNKNOWN_REGION` decides.
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
    """Return whether a player at an address of unknown region is refused play for money.

    If it is closed to them anyway, or allowed in all of their country, the region is irrelevant.
    After staff have settled such a doubt for the same place, it is not raised again.
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
    """Record a mismatch, once; return the open doubt if the address disagrees, else None."""
    if not player.country or not geoip.is_looked_up(address):
        return None
    seen = geoip.seen_at(address)
    geoip.count_lookup(seen)
    found = _disagreement(player, seen)
    if found is None:
        return None
    existing = open_doubt(player)
    if existing is not None:
        return existing
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
    except IntegrityError:  # Another request recorded it at the same time.
        return open_doubt(player)


def open_doubt(player: User) -> PlaceDoubt | None:
    return PlaceDoubt.objects.open().filter(player=player).first()


@transaction.atomic(durable=True)
def settle_by_address(*, player_id: int, address: str) -> PlaceDoubt | None:
    """Settle the open doubt by a matching IP address; return None if there is none.

    Codes: `place_still_doubted`.
    """
    doubt = PlaceDoubt.objects.open().filter(player=player_id).locked().first()
    if doubt is None:
        return None
    player = User.objects.get(pk=player_id)
    # A doubt of unknown region can be settled after the setting was relaxed.
    is_known = geoip.seen_at(address) is not None or doubt.kind == Kind.UNPLACED
    if not geoip.is_looked_up(address) or not is_known or doubt_about(player, address) is not None:
        raise PlaceStillDoubted(_("The location of this connection does not match your account."))
    return _settle(doubt, PlaceDoubt.Settlement.BACK)


@transaction.atomic(durable=True)
def settle_by_staff(*, player_id: int, by: User, reason: str) -> PlaceDoubt | None:
    """Settle the open doubt as a member of staff; return None if there is none.

    The next mismatching address raises a new doubt: for a player who has moved, correct the place.
    An address of unknown region does not, because staff have verified where the player lives.

    Codes: `shared_interest`, `reason_missing`.
    """
    player = User.objects.get(pk=player_id)
    refuse_own_interest(player, by=by)
    require_reason(reason)
    doubt = PlaceDoubt.objects.open().filter(player=player).locked().first()
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


@transaction.atomic(durable=True)
def declare_place(*, player_id: int, country: str, region: str) -> User:
    """Store a player's country and region; setting the same place again changes nothing.

    `region` is an ISO 3166-2 code, current or withdrawn, or a name.

    Codes: `place_given`, `place_unknown`.
    """
    if country not in dict(countries()):
        raise PlaceUnknown(_("Choose a country."))
    player = User.objects.locked().get(pk=player_id)
    code = region_code(country, region)
    if region and not code:
        raise PlaceUnknown(_("Choose a region of the selected country."))
    if player.country == country and present_code(country, player.region) == code:
        return player
    if player.country:
        raise PlaceGiven(_("Your account already has another place. To correct it, contact us."))
    if not code and has_regions(country):
        raise PlaceUnknown(_("Choose a region of your country."))
    if has_rows_within(country, code):
        raise PlaceUnknown(_("Choose a smaller region: the games on offer differ within this one."))
    player.country, player.region = country, code
    player.save(update_fields=["country", "region"])
    return player
