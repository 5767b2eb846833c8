"""Where players sit down from, as keyed hashes; two alike at one table are refused or flagged."""

from __future__ import annotations

import hmac
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations

from django.conf import settings
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from core.addresses import network_of
from players.accounts.models import User
from tables.exceptions import SameDevice, SameNetwork
from tables.models.profiles import NetworkRule
from tables.models.seats import Seat
from tables.models.tables import Table
from tables.seats.models import ReviewFlag, SeatOrigin
from wallet.ledger.money import PLAY_POINTS


@dataclass(frozen=True, slots=True)
class Origin:
    """An address and a browser's lasting cookie, as they came with the request."""

    address: str
    device: str = ""


def refuse_alike(table: Table, player: User, origin: Origin) -> None:
    """Refuse a second account of a browser at a table, and of a network where the kind says so.

    A network is shared by households and whole carriers, a browser's lasting cookie is not. Bots
    and practice are left out by the caller, who holds the table's lock.
    """
    here = hashes(player, origin)
    others = _present(table).exclude(seat__player=player)
    if others.filter(one_browser(here, table.currency)).exists():
        raise SameDevice(_("Another account of this browser sits at the table."))
    kind = table.template
    refuses = kind is not None and kind.same_network == NetworkRule.REFUSE
    if refuses and others.filter(network_hash=here["network_hash"]).exists():
        raise SameNetwork(_("Another player of your network sits at this table."))


def one_browser(here: Mapping[str, str], currency: str, *, through: str = "") -> Q:
    """Return the condition for origins of the same browser; `through` is the lookup to the origin.

    A program may leave out the cookie. For cash, two origins of one network of which either has
    none count as one browser.
    """
    device, network = here["device_hash"], here["network_hash"]
    alike = Q(**{f"{through}device_hash": device}) if device else Q(pk__in=[])
    if currency == PLAY_POINTS:
        return alike
    nearby = Q(**{f"{through}network_hash": network})
    return alike | (nearby & Q(**{f"{through}device_hash": ""}) if device else nearby)


def hashes(player: User, origin: Origin) -> dict[str, str]:
    """Return the fields of `OriginHashes` for a player who comes from there."""
    return {
        "network_hash": _keyed("network", network_of(origin.address)),
        "device_hash": _keyed("device", origin.device) if origin.device else "",
        "consent_version": player.consent_version,
    }


def note_origin(seat: Seat, here: Mapping[str, str]) -> None:
    """Keep the hashes of where a seat was taken from, and flag seats beside it of one network."""
    SeatOrigin.objects.create(table_id=seat.table_id, seat=seat, **here)
    others = _present(seat.table).exclude(seat__player=seat.player_id)
    alike = others.filter(network_hash=here["network_hash"]).select_related("seat")
    ReviewFlag.objects.bulk_create(_flag(other.seat, seat) for other in alike)


def note_origins(seats: Iterable[Seat], came_from: Mapping[int, Mapping[str, str]]) -> None:
    """Do the same for seats taken all at once, by what is known of their players."""
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
