"""Send, mark as read, choose and delete notifications."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final

import structlog

from players.accounts.models import User
from players.notifications.mail import confirmed_address, mail_decisions, send_notification
from players.notifications.models import Notification, NotificationChoice
from players.sign_in.security.letters import RETRY_DELAYS

log = structlog.get_logger(__name__)

BATCH_SIZE: Final = 200
# Keys are not reused after this time, so that older rows can be deleted.
KEPT: Final = timedelta(days=365)


def mail_due(*, now: datetime) -> int:
    """Send the e-mails that are due; return how many were sent.

    An attempt is counted before it is made; if the worker crashes, the next attempt sends it.
    """
    due = Notification.objects.not_of_decisions().to_be_mailed(now, delays=RETRY_DELAYS)
    keys = list(due.order_by("pk").values_list("pk", flat=True)[:BATCH_SIZE])
    return sum(_mail(pk, now=now) for pk in keys) + mail_decisions(now=now)


def _mail(pk: int, *, now: datetime) -> bool:
    due = Notification.objects.to_be_mailed(now, delays=RETRY_DELAYS)
    notification = due.filter(pk=pk).first()
    if notification is None:
        return False
    player = User.objects.get(pk=notification.player_id)
    address = confirmed_address(player) if player.is_active else None
    # No row is locked during the SMTP request; only the worker that counts an attempt makes it.
    tries = notification.mail_tries
    mine = Notification.objects.filter(pk=pk, mail=Notification.Mail.DUE, mail_tries=tries)
    if address is None:
        mine.update(mail=Notification.Mail.NONE)
        return False
    notification.mail_tries = tries + 1
    if not mine.update(mail_tries=notification.mail_tries):  # Another worker makes this attempt.
        return False
    notification.mail = _try(notification, player, address)
    notification.save(update_fields=["mail"])
    return notification.mail == Notification.Mail.SENT


def _try(notification: Notification, player: User, address: str) -> Notification.Mail:
    try:
        send_notification(notification, player=player, address=address)
    except OSError as error:  # Network failures and SMTP errors.
        log.warning("notification_not_mailed", notification=notification.pk, error=str(error))
        is_last = notification.mail_tries >= len(RETRY_DELAYS)
        return Notification.Mail.GIVEN_UP if is_last else Notification.Mail.DUE
    return Notification.Mail.SENT


def mark_read(*, player: User, up_to: int, now: datetime) -> int:
    """Mark the player's notifications up to this key as read; return how many were unread."""
    unread = Notification.objects.of_player(player).unread()
    return unread.filter(pk__lte=up_to).update(read_at=now)


def delete_old(*, now: datetime) -> int:
    """Delete notifications older than a year; return their number."""
    old = Notification.objects.filter(created_at__lt=now - KEPT)
    deleted, _by_model = old.exclude(mail=Notification.Mail.DUE).delete()
    return deleted


def choose(
    *, player: User, topic: Notification.Topic, ways: Mapping[str, bool]
) -> NotificationChoice:
    """Save the channels on which a player is notified of a topic; omitted ones stay unchanged."""
    assert ways.keys() <= {"on_site", "by_mail", "by_push"}, "unknown channel"
    choice, _is_new = NotificationChoice.objects.update_or_create(
        player=player, topic=topic, defaults=ways
    )
    return choice
