"""Notifications by e-mail; decisions in a person's name are mailed together."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

import structlog
from allauth.account.models import EmailAddress
from django.conf import settings
from django.core.mail import send_mail
from django.db.models import F
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from players.accounts.models import User
from players.accounts.zones import zone_of
from players.notifications.models import OF_DECISIONS, Notification, NotificationQuerySet
from players.notifications.texts import ADVICE, event_text, path_of, text_of
from players.sign_in.security.letters import RETRY_DELAYS


def confirmed_address(player: User) -> str | None:
    """Return the player's confirmed e-mail address, the primary one first, or None."""
    verified = EmailAddress.objects.filter(user=player, verified=True)
    best: EmailAddress | None = verified.order_by("-primary", "pk").first()
    return str(best.email) if best else None


def send_notification(notification: Notification, *, player: User, address: str) -> None:
    """Send an e-mail in the player's language and time zone; raise `OSError` on failure."""
    with translation.override(player.language), timezone.override(zone_of(player)):
        text = render_to_string(
            "players/notification_email.txt",
            {
                "handle": player.handle,
                "text": text_of(notification),
                "address": f"{settings.PUBLIC_URL}{path_of(notification)}",
                "choices": f"{settings.PUBLIC_URL}{reverse('notification-choices')}",
            },
        )
        subject = _("Pool Rummy: %(topic)s") % {"topic": notification.topic.label}
    send_mail(subject, text, None, [address])


def send_decisions(notifications: Sequence[Notification], *, player: User, address: str) -> None:
    """Send one e-mail about decisions in the player's name; raise `OSError` on failure."""
    with translation.override(player.language), timezone.override(zone_of(player)):
        text = render_to_string(
            "players/decisions_email.txt",
            {
                "handle": player.handle,
                "texts": [event_text(one) for one in notifications],
                "advice": str(ADVICE),
                "address": f"{settings.PUBLIC_URL}{path_of(notifications[0])}",
            },
        )
        subject = _("Pool Rummy: %(topic)s") % {"topic": _("Decisions in your name")}
    send_mail(subject, text, None, [address])


log = structlog.get_logger(__name__)

# Minimum time between two e-mails to one person; decisions meanwhile go into the second.
TOGETHER: Final = timedelta(minutes=10)
PEOPLE_MAX: Final = 200
DECISIONS_MAX: Final = 500


def mail_decisions(*, now: datetime) -> int:
    """Send the e-mails about decisions that are due; return the number of decisions sent."""
    people = _due(now).order_by("player").values_list("player", flat=True).distinct()
    return sum(_mail_together(pk, now) for pk in list(people[:PEOPLE_MAX]))


def _due(now: datetime) -> NotificationQuerySet:
    due = Notification.objects.to_be_mailed(now, delays=RETRY_DELAYS)
    return due.filter(kind__in=OF_DECISIONS)


def _mail_together(player_id: int, now: datetime) -> int:
    mine = Notification.objects.filter(player=player_id, kind__in=OF_DECISIONS)
    due = list(_due(now).filter(player=player_id).order_by("pk")[:DECISIONS_MAX])
    recent = mine.filter(mail=Notification.Mail.SENT, created_at__gt=now - TOGETHER)
    if not due or (due[0].created_at > now - TOGETHER and recent.exists()):
        return 0
    player = User.objects.get(pk=player_id)
    address = confirmed_address(player) if player.is_active else None
    if address is None:
        mine.filter(mail=Notification.Mail.DUE).update(mail=Notification.Mail.NONE)
        return 0
    # An attempt is counted before it is made, by the worker that makes it.
    tried = [one for one in due if _is_counted(one)]
    if not tried:
        return 0
    try:
        send_decisions(tried, player=player, address=address)
    except OSError as error:  # Network failures and SMTP errors.
        log.warning("decisions_not_mailed", player=player_id, error=str(error))
        last = [one.pk for one in tried if one.mail_tries + 1 >= len(RETRY_DELAYS)]
        mine.filter(pk__in=last).update(mail=Notification.Mail.GIVEN_UP)
        return 0
    mine.filter(pk__in=[one.pk for one in tried]).update(mail=Notification.Mail.SENT)
    return len(tried)


def _is_counted(one: Notification) -> bool:
    waiting = Notification.objects.filter(
        pk=one.pk, mail=Notification.Mail.DUE, mail_tries=one.mail_tries
    )
    return bool(waiting.update(mail_tries=F("mail_tries") + 1))
