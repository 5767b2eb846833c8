"""Bonuses in a wind-down: they are frozen, since there is no play to spend them on.

The end of a lot is extended by the time its player's place was in wind-down during the lot's life,
computed from the place's dated rows, so nothing is written when a wind-down begins or ends. A
wind-down of the whole installation (`CASH_WIND_DOWN`) has no dates: it suspends the end meanwhile.
"""

from __future__ import annotations

from datetime import datetime

from django.conf import settings

from players.eligibility.places.wind_downs import lives_in_wind_down, wind_downs_of
from wallet.bonuses.models import BonusGrant, BonusGrantQuerySet


def end_of(lot: BonusGrant) -> datetime | None:
    """Return when a lot ends; None while it is frozen."""
    player = lot.account.player
    assert player is not None, "a bonus account has a player"
    end: datetime = lot.expires_at
    for begun, over in wind_downs_of(player.country, player.region):
        if begun >= end:
            break
        if over is None:
            return None
        if over > lot.granted_at:
            end += over - max(begun, lot.granted_at)
    return None if settings.CASH_WIND_DOWN else end


def has_ended(lot: BonusGrant, now: datetime) -> bool:
    """Return whether a lot has ended; most are decided by their term alone."""
    if lot.expires_at > now:
        return False
    end = end_of(lot)
    return end is not None and end <= now


def without_frozen(lots: BonusGrantQuerySet) -> BonusGrantQuerySet:
    """Exclude the lots that are frozen now."""
    if settings.CASH_WIND_DOWN:
        return lots.none()
    return lots.exclude(lives_in_wind_down("account__player__"))
