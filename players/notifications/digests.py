"""E-mails about decisions in a person's name: the first at once, later ones in one digest."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

import structlog
from django.db.models import F

from players.accounts.models import User
from players.notifications.mail import confirmed_address, send_decisions
from players.notifications.models import OF_DECISIONS, Notification, NotificationQuerySet
from players.sign_in.security.letters import RETRY_DELAYS

log = structlog.get_logger(__name__)

# Minimum time between two e-mails to one person; decisions meanwhile go into the second.
TOGETHER: Final = timedelta(minutes=10)
PEOPLE_MAX: Final = 200
DECISIONS_MAX: Final = 500


def mail_decisions(*, now: datetime) -> int:
    """Send the e-mails about decisions that are due; return the number of decisions sent."""
    people = _due(now).order_by("player").values_list("player", flat=True).distinct()
    return sum(_mail(pk, now) for pk in list(people[:PEOPLE_MAX]))


def _due(now: datetime) -> NotificationQuerySet:
    due = Notification.objects.to_be_mailed(now, delays=RETRY_DELAYS)
    return due.filter(kind__in=OF_DECISIONS)


def _mail(player_id: int, now: datetime) -> int:
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
