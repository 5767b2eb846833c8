"""Turning Web Push on and off for a device."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from django.db import transaction
from django.http import HttpRequest
from django.utils.translation import gettext as _

from core.http.outgoing import is_target
from players.accounts.models import User
from players.exceptions import BadSubscription, PushUnavailable
from players.sign_in.devices import push
from players.sign_in.devices.models import PushSubscription

# More browsers than a person plays in; the oldest makes room.
DEVICES_MAX: Final = 10


@transaction.atomic(durable=True)
def subscribe(
    *, player: User, endpoint: str, p256dh: str, auth: str, session_key: str, now: datetime
) -> PushSubscription:
    """Send the player's notifications to this device; the same endpoint again replaces its row.

    Codes: `push_unavailable`, `bad_subscription`.
    """
    if not push.is_available():
        raise PushUnavailable(_("This site sends no notifications to devices."))
    if not is_target(endpoint) or not push.are_keys(p256dh, auth):
        raise BadSubscription(_("This is no address of a push service."))
    # One at a time: the row's owner counts their devices.
    User.objects.locked().get(pk=player.pk)
    # A browser has one session: what another one left is no longer in use.
    PushSubscription.objects.filter(session_key=session_key).exclude(endpoint=endpoint).delete()
    subscription, _is_new = PushSubscription.objects.update_or_create(
        endpoint=endpoint,
        defaults={
            "player": player,
            "p256dh": p256dh,
            "auth": auth,
            "session_key": session_key,
            "created_at": now,
        },
    )
    mine = PushSubscription.objects.of_player(player).order_by("-created_at", "-pk")
    older = list(mine.values_list("pk", flat=True)[DEVICES_MAX:])
    PushSubscription.objects.filter(pk__in=older).delete()
    return subscription


def unsubscribe(*, session_key: str) -> int:
    """Send nothing more to the device of a session; return how many subscriptions it had."""
    deleted, _by_model = PushSubscription.objects.filter(session_key=session_key).delete()
    return deleted


def forget_device(*, request: HttpRequest, **_signal: Any) -> None:
    """Receive a sign-out: its device gets nothing more."""
    if request is not None and (key := request.session.session_key):
        unsubscribe(session_key=key)


def delete_signed_out(*, now: datetime) -> int:
    """Delete subscriptions of devices that are signed out, and return how many there were."""
    kept = PushSubscription.objects.signed_in(now).values("pk")
    deleted, _by_model = PushSubscription.objects.exclude(pk__in=kept).delete()
    return deleted
