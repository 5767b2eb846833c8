"""Notifications by e-mail."""

from __future__ import annotations

from collections.abc import Sequence

from allauth.account.models import EmailAddress
from django.conf import settings
from django.core.mail import send_mail
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from players.accounts.models import User
from players.accounts.zones import zone_of
from players.notifications.models import Notification
from players.notifications.texts import ADVICE, event_text, path_of, text_of


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
