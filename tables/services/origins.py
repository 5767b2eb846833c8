"""Where players sit down from, as keyed hashes; two alike at one table are refused or flagged."""

from __future__ import annotations

import hmac
from dataclasses import dataclass

from django.conf import settings
from django.db.models import QuerySet

from players.addresses import network_of
from players.models import User
from tables.exceptions import SameDevice, SameNetwork
from tables.models import NetworkRule, ReviewFlag, Seat, SeatOrigin, Table


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
    others = _present(table).exclude(seat__player=player)
    if origin.device and others.filter(device_hash=_keyed("device", origin.device)).exists():
        raise SameDevice("Another account of this browser sits at the table.")
    kind = table.template
    if kind is not None and kind.same_network == NetworkRule.REFUSE:
        network_hash = _keyed("network", network_of(origin.address))
        if others.filter(network_hash=network_hash).exists():
            raise SameNetwork("Another player of your network sits at this table.")


def note_origin(seat: Seat, origin: Origin) -> list[ReviewFlag]:
    """Keep the hashes of where a seat was taken from, and flag seats beside it of one network."""
    here = SeatOrigin.objects.create(
        seat=seat,
        network_hash=_keyed("network", network_of(origin.address)),
        device_hash=_keyed("device", origin.device) if origin.device else "",
        consent_version=seat.player.consent_version,
    )
    others = _present(seat.table).exclude(seat__player=seat.player_id)
    return [
        ReviewFlag.objects.create(
            table_id=seat.table_id,
            kind=ReviewFlag.Kind.NETWORK,
            seat_id=other.seat_id,
            other=seat,
        )
        for other in others.filter(network_hash=here.network_hash)
    ]


def _present(table: Table) -> QuerySet[SeatOrigin]:
    return SeatOrigin.objects.filter(seat__table=table, seat__left_at=None)


def _keyed(label: str, text: str) -> str:
    message = f"{label}:{text}".encode()
    return hmac.digest(settings.SECRET_KEY.encode(), message, "sha256").hex()
