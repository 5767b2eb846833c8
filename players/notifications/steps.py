"""Write notifications in the transaction of the event that they report."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from core.tasks import enqueue_on_commit
from players.accounts.models import User
from players.notifications.models import (
    ALWAYS_SENT,
    MAILED_TO_ALL,
    NEVER_MAILED,
    PUSHED_ALONE,
    PUSHED_FOR,
    Notification,
    NotificationChoice,
)
from players.sign_in.devices import push
from players.sign_in.devices.models import PushSubscription

BATCH_SIZE: Final = 1000


@dataclass(frozen=True, slots=True)
class Recipient:
    """A player to notify, with the player's amount."""

    player: User
    amount: str = ""


def notify(
    recipients: Iterable[Recipient],
    *,
    kind: Notification.Kind,
    key: str,
    subject: str,
    now: datetime,
    about: UUID | None = None,
    remark: str = "",
    happens_at: datetime | None = None,
) -> None:
    """Write a notification for each recipient; repeating it with the same key writes none.

    Bots get none, and guests get no e-mail. Players' channels apply, except for the topics in
    `ALWAYS_SENT`. Only the kinds in `PUSHED_FOR` are pushed to devices.
    """
    people = [each for each in recipients if not each.player.is_bot]
    draft = Notification(kind=kind, subject=subject[:120])
    is_chosen = draft.topic not in ALWAYS_SENT
    chosen = _choices([each.player.pk for each in people], draft.topic) if is_chosen else {}
    is_pushed_alone = draft.topic in PUSHED_ALONE
    with_devices = _with_devices([each.player.pk for each in people], kind, now)
    notifications = []
    for each in people:
        on_site, by_mail, by_push = chosen.get(each.player.pk, (True, True, True))
        on_site = on_site and not is_pushed_alone
        by_mail = by_mail and not is_pushed_alone and not each.player.is_guest
        by_mail = by_mail and kind not in MAILED_TO_ALL and draft.topic not in NEVER_MAILED
        by_push = by_push and each.player.pk in with_devices
        if on_site or by_mail or by_push:
            notification = Notification(
                player=each.player,
                key=key,
                kind=kind,
                subject=draft.subject,
                about=about,
                amount=each.amount,
                remark=remark[:500],
                happens_at=happens_at,
                created_at=now,
                on_site=on_site,
                mail=Notification.Mail.DUE if by_mail else Notification.Mail.NONE,
                is_push_due=by_push,
            )
            notifications.append(notification)
    Notification.objects.bulk_create(notifications, batch_size=BATCH_SIZE, ignore_conflicts=True)
    if any(notification.mail == Notification.Mail.DUE for notification in notifications):
        enqueue_on_commit("players.mail_notifications")
    if any(notification.is_push_due for notification in notifications):
        enqueue_on_commit("players.push_notifications")


def _choices(players: list[int], topic: Notification.Topic) -> dict[int, tuple[bool, bool, bool]]:
    rows = NotificationChoice.objects.filter(player__in=players, topic=topic)
    found = rows.values_list("player", "on_site", "by_mail", "by_push")
    return {pk: (site, mail, device) for pk, site, mail, device in found}


def _with_devices(players: list[int], kind: Notification.Kind, now: datetime) -> frozenset[int]:
    """Return the players with a device to which this kind is pushed."""
    if kind not in PUSHED_FOR or not push.is_available():
        return frozenset()
    devices = PushSubscription.objects.signed_in(now).filter(player__in=players)
    return frozenset(devices.values_list("player", flat=True))
