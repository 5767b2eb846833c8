"""Sending, reading, choosing and deleting notifications."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final

import structlog

from players.accounts.models import User
from players.notifications import digests
from players.notifications.mail import confirmed_address, send_notification
from players.notifications.models import Notification, NotificationChoice
from players.sign_in.security.letters import RETRY_DELAYS

log = structlog.get_logger(__name__)

BATCH_SIZE: Final = 200
# A key is not used again after this time, so that an older row may be deleted.
KEPT: Final = timedelta(days=365)


def mail_due(*, now: datetime) -> int:
    """Send the e-mails that are due and return how many were sent.

    An attempt is counted before it is made: if the worker dies, the next attempt sends the message.
    """
    due = Notification.objects.not_of_decisions().to_be_mailed(now, delays=RETRY_DELAYS)
    keys = list(due.order_by("pk").values_list("pk", flat=True)[:BATCH_SIZE])
    return sum(_mail(pk, now=now) for pk in keys) + digests.mail_decisions(now=now)


def _mail(pk: int, *, now: datetime) -> bool:
    due = Notification.objects.to_be_mailed(now, delays=RETRY_DELAYS)
    notification = due.filter(pk=pk).first()
    if notification is None:
        return False
    player = User.objects.get(pk=notification.player_id)
    address = confirmed_address(player) if player.is_active else None
    # No row stays locked while the mail server answers; the worker that counts an attempt makes it.
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
    """Mark the player's notifications up to this one as read and return how many were unread."""
    unread = Notification.objects.of_player(player).unread()
    return unread.filter(pk__lte=up_to).update(read_at=now)


def delete_old(*, now: datetime) -> int:
    """Delete notifications older than a year and return how many there were."""
    old = Notification.objects.filter(created_at__lt=now - KEPT)
    deleted, _by_model = old.exclude(mail=Notification.Mail.DUE).delete()
    return deleted


def choose(
    *, player: User, topic: Notification.Topic, ways: Mapping[str, bool]
) -> NotificationChoice:
    """Save the ways in which the player wants to be notified of a topic; others stay."""
    assert ways.keys() <= {"on_site", "by_mail", "by_push"}, "there are no other ways"
    choice, _is_new = NotificationChoice.objects.update_or_create(
        player=player, topic=topic, defaults=ways
    )
    return choice
