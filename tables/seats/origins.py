"""Keyed hashes of where players sit down from; equal ones at one table are refused or flagged."""

from __future__ import annotations

import hmac
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from django.conf import settings
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from core.addresses import network_of
from players.accounts.models import User
from tables.exceptions import SameDevice, SameNetwork
from tables.models.seats import Seat
from tables.models.tables import Table
from tables.models.templates import NetworkRule
from tables.seats.models import ReviewFlag, SeatOrigin
from wallet.ledger.money import PLAY_POINTS


@dataclass(frozen=True, slots=True)
class Origin:
    """The address and the device cookie of a request."""

    address: str
    device: str = ""


def refuse_alike(table: Table, player: User, here: Mapping[str, str]) -> Sequence[SeatOrigin]:
    """Refuse a second account of a browser, and of a network if the template says so.

    Return the origins of other seats of the same network. Households and mobile carriers share a
    network, but not the device cookie. The caller holds the table's lock, and does not call this
    for bots or practice tables.
    """
    is_same_browser = one_browser(here, table.currency)
    is_alike = is_same_browser | Q(network_hash=here["network_hash"])
    others = _present(table).exclude(seat__player=player).filter(is_alike)
    found = list(others.select_related("seat").annotate(is_same_browser=Q(is_same_browser)))
    if any(other.is_same_browser for other in found):
        raise SameDevice(_("Another account from this browser already sits at this table."))
    kind = table.template
    refuses = kind is not None and kind.same_network == NetworkRule.REFUSE
    nearby = [other for other in found if other.network_hash == here["network_hash"]]
    if refuses and nearby:
        raise SameNetwork(_("Another player from your network already sits at this table."))
    return nearby


def one_browser(here: Mapping[str, str], currency: str, *, through: str = "") -> Q:
    """Return the condition for origins of the same browser; `through` is the lookup to the origin.

    A client may omit the cookie. For cash, two origins of one network count as one browser if
    either has no cookie.
    """
    device, network = here["device_hash"], here["network_hash"]
    alike = Q(**{f"{through}device_hash": device}) if device else Q(pk__in=[])
    if currency == PLAY_POINTS:
        return alike
    nearby = Q(**{f"{through}network_hash": network})
    return alike | (nearby & Q(**{f"{through}device_hash": ""}) if device else nearby)


def hashes(player: User, origin: Origin) -> dict[str, str]:
    """Return the fields of `OriginHashes` for a player with this origin."""
    return {
        "network_hash": _keyed("network", network_of(origin.address)),
        "device_hash": _keyed("device", origin.device) if origin.device else "",
        "consent_version": player.consent_version,
    }


def note_origin(seat: Seat, here: Mapping[str, str], nearby: Iterable[SeatOrigin]) -> None:
    """Save the hashes of a seat's origin, and flag the seats of the same network."""
    SeatOrigin.objects.create(table_id=seat.table_id, seat=seat, **here)
    ReviewFlag.objects.bulk_create(_flag(other.seat, seat) for other in nearby)


def note_origins(seats: Iterable[Seat], came_from: Mapping[int, Mapping[str, str]]) -> None:
    """Save known origins of seats that were taken together, and flag equal networks."""
    known = [(seat, came_from[seat.player_id]) for seat in seats if seat.player_id in came_from]
    SeatOrigin.objects.bulk_create(
        SeatOrigin(table_id=seat.table_id, seat=seat, **here) for seat, here in known
    )
    ReviewFlag.objects.bulk_create(
        _flag(one, other)
        for (one, here), (other, there) in combinations(known, 2)
        if here["network_hash"] == there["network_hash"]
    )


def _flag(one: Seat, other: Seat) -> ReviewFlag:
    network = ReviewFlag.Kind.NETWORK
    return ReviewFlag(table_id=one.table_id, kind=network, seat=one, other=other)


def _present(table: Table) -> QuerySet[SeatOrigin]:
    return SeatOrigin.objects.filter(seat__table=table, seat__left_at=None)


def _keyed(label: str, text: str) -> str:
    message = f"{label}:{text}".encode()
    return hmac.digest(settings.SECRET_KEY.encode(), message, "sha256").hex()
