"""Turn Web Push on and off for a device."""

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

# Maximum per player; the oldest subscription is deleted.
DEVICES_MAX: Final = 10


@transaction.atomic(durable=True)
def subscribe(
    *, player: User, endpoint: str, p256dh: str, auth: str, session_key: str, now: datetime
) -> PushSubscription:
    """Send the player's notifications to this device; the same endpoint again replaces its row.

    Codes: `push_unavailable`, `bad_subscription`.
    """
    if not push.is_available():
        raise PushUnavailable(_("Push notifications are not available on this site."))
    if not is_target(endpoint) or not push.are_keys(p256dh, auth):
        raise BadSubscription(_("This is not the address of a push service."))
    # Lock the player, so that concurrent requests cannot exceed the maximum.
    User.objects.locked().get(pk=player.pk)
    # A browser has one session, so another endpoint of this session is obsolete.
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
    """Delete the subscriptions of a session's device; return their number."""
    deleted, _by_model = PushSubscription.objects.filter(session_key=session_key).delete()
    return deleted


def forget_device(*, request: HttpRequest, **_signal: Any) -> None:
    """Signal receiver of sign-outs: delete the device's subscriptions."""
    if request is not None and (key := request.session.session_key):
        unsubscribe(session_key=key)


def delete_signed_out(*, now: datetime) -> int:
    """Delete subscriptions of devices that are signed out; return their number."""
    kept = PushSubscription.objects.signed_in(now).values("pk")
    deleted, _by_model = PushSubscription.objects.exclude(pk__in=kept).delete()
    return deleted
