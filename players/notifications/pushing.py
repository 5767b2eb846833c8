"""Notifications on players' devices."""

from __future__ import annotations

import hashlib
import json
from datetime import datetime
from typing import Final

import structlog
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from core.http.outgoing import NotSentError
from players.accounts.models import User
from players.accounts.zones import zone_of
from players.notifications.models import PUSHED_FOR, Notification
from players.notifications.texts import path_of, text_of
from players.sign_in.devices import push
from players.sign_in.devices.models import PushSubscription

log = structlog.get_logger(__name__)

BATCH_SIZE: Final = 200
TEXT_CHARACTERS_MAX: Final = 400
TOPIC_CHARACTERS: Final = 32
# How long a push service keeps a test notification for a device without a connection.
TEST_SECONDS: Final = 60


def push_due(*, now: datetime) -> int:
    """Push due notifications to devices, each once; return how many were sent.

    Outdated notifications are not sent. No transaction is open during the HTTP requests.
    """
    due = Notification.objects.to_be_pushed().order_by("pk")
    return sum(_push(pk, now=now) for pk in list(due.values_list("pk", flat=True)[:BATCH_SIZE]))


def push_test(*, device_id: int, now: datetime) -> bool:
    """Send a test notification to a signed-in device; return whether its push service took it."""
    device = PushSubscription.objects.signed_in(now).filter(pk=device_id).first()
    if device is None or not push.is_available():
        return False
    player = device.player
    with translation.override(player.language):
        content = {
            "title": _("Pool Rummy"),
            "body": _("Notifications work on this device."),
            "path": reverse("notification-choices"),
            "tag": "test",
            "lang": player.language,
        }
    message = json.dumps(content, ensure_ascii=False).encode()
    return _send(device, message, TEST_SECONDS, "test")


def _push(pk: int, *, now: datetime) -> bool:
    # Only the worker that clears the flag sends the notification.
    if not Notification.objects.to_be_pushed().filter(pk=pk).update(is_push_due=False):
        return False
    notification = Notification.objects.select_related("player").get(pk=pk)
    good_for = PUSHED_FOR[Notification.Kind(notification.kind)]
    left = int((notification.created_at + good_for - now).total_seconds())
    if left <= 0 or not push.is_available():
        return False
    message = _message(notification, notification.player)
    devices = PushSubscription.objects.signed_in(now).filter(player=notification.player_id)
    sent = [_send(device, message, left, _topic(notification)) for device in devices]
    return any(sent)


def _send(device: PushSubscription, message: bytes, ttl: int, topic: str) -> bool:
    try:
        push.send(
            endpoint=device.endpoint,
            p256dh=device.p256dh,
            auth=device.auth,
            message=message,
            ttl=ttl,
            topic=topic,
        )
    except push.SubscriptionGoneError:
        # Only if unchanged: the browser may have subscribed with other keys meanwhile.
        PushSubscription.objects.filter(pk=device.pk, auth=device.auth).delete()
        return False
    except NotSentError as error:
        log.warning("notification_not_pushed", device=device.pk, error=str(error))
        return False
    return True


def _message(notification: Notification, player: User) -> bytes:
    """Return the payload for the service worker (`static/js/worker.js`), as JSON."""
    with translation.override(player.language), timezone.override(zone_of(player)):
        content = {
            "title": _("Pool Rummy"),
            "body": text_of(notification)[:TEXT_CHARACTERS_MAX],
            "path": path_of(notification),
            "tag": _topic(notification),
            "lang": player.language,
        }
    return json.dumps(content, ensure_ascii=False).encode()


def _topic(notification: Notification) -> str:
    """Return a topic shared by notifications about one object: the newest replaces the others."""
    about = f"{notification.topic}:{notification.about or notification.key}"
    return hashlib.sha256(about.encode()).hexdigest()[:TOPIC_CHARACTERS]
