"""Where players sit down from, as keyed hashes; two alike at one table are for staff to look at."""

from __future__ import annotations

import hmac
from dataclasses import dataclass

from django.conf import settings

from players.addresses import network_of
from tables.models import ReviewFlag, Seat, SeatOrigin


@dataclass(frozen=True, slots=True)
class Origin:
    """An address and a browser's lasting cookie, as they came with the request."""

    address: str
    device: str = ""


def note_origin(seat: Seat, origin: Origin) -> list[ReviewFlag]:
    """Keep the hashes of where a seat was taken from, and flag seats beside it that are alike.

    Nobody is refused for it: families share a network. Bots and practice are left out by the
    caller.
    """
    here = SeatOrigin.objects.create(
        seat=seat,
        network_hash=_keyed("network", network_of(origin.address)),
        device_hash=_keyed("device", origin.device) if origin.device else "",
        consent_version=seat.player.consent_version,
    )
    others = SeatOrigin.objects.filter(seat__table=seat.table_id, seat__left_at=None)
    flags = []
    for other in others.exclude(seat=seat).exclude(seat__player=seat.player_id):
        if here.device_hash and other.device_hash == here.device_hash:
            flags.append(_flag(seat, other, ReviewFlag.Kind.DEVICE))
        if other.network_hash == here.network_hash:
            flags.append(_flag(seat, other, ReviewFlag.Kind.NETWORK))
    return flags


def _flag(seat: Seat, other: SeatOrigin, kind: ReviewFlag.Kind) -> ReviewFlag:
    return ReviewFlag.objects.create(
        table_id=seat.table_id, kind=kind, seat_id=other.seat_id, other=seat
    )


def _keyed(label: str, text: str) -> str:
    message = f"{label}:{text}".encode()
    return hmac.digest(settings.SECRET_KEY.encode(), message, "sha256").hex()
